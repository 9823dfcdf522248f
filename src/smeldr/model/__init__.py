"""The words of the register, standard library only: items, kinds, states, rights, errors, instants."""
