"""The rest of the protocol: resources, completion, prompts, subscriptions."""
