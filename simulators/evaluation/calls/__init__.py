"""`ridealong eval tools`: words to tool calls, scored by the matching rules of the Berkeley Function-Calling Leaderboard."""
