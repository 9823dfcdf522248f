"""Readers and writers of decision records, one small file each; none of them knows of the register."""
