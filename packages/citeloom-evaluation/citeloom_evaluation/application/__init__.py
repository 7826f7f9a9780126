"""The verb *evaluate*: measures of search on judged questions, and tuning."""
