"""What all servers share: jobs, lanes, who asks, names and tokens, and how a server ends."""
