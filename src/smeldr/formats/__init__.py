"""What reads and writes decision records, a file for each format; none of them knows of the register."""
