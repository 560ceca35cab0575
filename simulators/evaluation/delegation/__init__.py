"""`ridealong eval delegation`: does what needs a skill reach one, and is the rest left alone; and what is said when nothing works."""
