"""Language server for drafts: completion, hover, diagnostics and actions in editors."""
