"""What the shell sees of the commands: completion, words of questions, help of groups."""
