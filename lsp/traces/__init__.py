"""Recorded traces in the server: found, followed as they grow, and counted by what they decided.

finding.py finds them, tailing.py reads what is new of one, decisions.py takes the decisions out of
its lines, tally.py counts them. following.py does all that in a thread of its own, index.py answers
what is asked meanwhile, and session.py ties both to a client. A request about a trace enters by
documents.py: reading.py, outline.py and explaining.py are of a trace that is open in an editor,
opening.py shows what is recorded, words.py has what is said in both languages.
"""
