"""The demo: a stage to print on, a server to talk to, an agent and a person who talk to it, and the story they act."""
