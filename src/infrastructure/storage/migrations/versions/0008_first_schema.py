"""The oldest schema that can be upgraded. ``upgrade`` creates new databases without it."""

revision = "0008"
down_revision = None
branch_labels = None
depends_on = None
