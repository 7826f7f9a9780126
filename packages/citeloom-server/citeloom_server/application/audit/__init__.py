"""The audit trail of a server: who did what, and when."""
