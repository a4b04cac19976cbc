"""Words that decide whether a full stop ends a sentence (see ``sentences``).

Only words whose other readings are rare stand here: "Sun." or "in." are abbreviations too, but
far more often they are the sun, and the end of "come in".
"""

from __future__ import annotations


def _words(listing: str) -> frozenset[str]:
    return frozenset(listing.split())


ALWAYS_OPEN = _words("""
    Mr Mrs Ms Mx Messrs Mmes Mme Mlle Dr Drs Prof Rev Hon Gen Col Lt Capt Cpt Maj Sgt Cpl Pvt
    Adm Cmdr Sen Rep Gov Pres Supt Insp Fr Sr Sra Srta Msgr Ven Rt Mt Ft St Ste SS Esq
    vs v viz cf i.e e.g eg ie c ca approx resp esp pop incl trans ed eds repr
    Fig Figs figs Eq Eqs eq Ref Refs Ch ch Vol Vols vol vols pp Nr Bd Univ Dept
""")
"""Their stop hardly ever ends a sentence, whatever follows."""

OPEN_BEFORE_NUMBER = _words("""
    No Nos no nos p Pp Sec sec Secs par Art art fig Op op pt Pt Bk bk cap l ll n
""")
"""Their stop ends no sentence when a number follows: "No. 5"."""

OPEN_BEFORE_NAME = _words("""
    Inc Ltd Co Corp Bros Cie Jr Sr Assn Ave Blvd Rd Mts Pl Sq Hwy Bldg Apt al
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thurs Fri Sat
    Ala Ariz Calif Colo Conn Fla Ga Ind Kan Ky La Md Mich Minn Mo Mont Neb
    Nev Okla Penn Tenn Tex Va Vt Wis Wyo Eng Brit Gk Lat a.m p.m A.M P.M
    tel Tel est Est ft oz lb lbs hr hrs sq yr yrs
""")
"""Their stop ends a sentence only when the next word is one of ``STARTERS``."""

STARTERS = _words("""
    The This That These Those It It's He She They We You I A An There Here His Her Their Its My Our
    Your In On At By To From With For Of After Before Since During Until Upon Under Over Between
    But And Or Nor So Yet However Moreover Furthermore Therefore Thus Hence Nevertheless Meanwhile
    Then Now Later Soon Once Still Also Even If When While As Although Though Because Unless Whether
    Where What Who Why How Which Is Are Was Were Do Does Did Can Could Will Would Should May Has
    Have Had Not Yes Some Many Most All Both Each Every Such Another One Two Three Several Few Other
    Others Let Please Perhaps Maybe Finally First Second Just Only Like Despite According Today
    Nothing Nobody Everyone Everything Someone Something Never Thank Thanks I'm I've I'd I'll Don't
    That's There's He's She's They're We're You're What's Let's
""")
"""With a capital after a doubtful stop, they speak for a new sentence."""

LOWER_STARTERS = _words("""
    i i'm i've im it its the they he she we you this that there if but and so also my
""")
"""Small-letter words that begin sentences in careless typing."""
