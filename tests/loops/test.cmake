# Graphs are decomposed, and differentiated, before they are lowered.
frit_test(ROOM loops USES loops passes grad)
