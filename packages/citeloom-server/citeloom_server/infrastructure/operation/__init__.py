"""What operators of a server ask of it: is it well, what does it do, who did what."""
