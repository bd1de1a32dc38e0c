"""A WordNet of a few hundred words, written as database files.

The words are those of ``datasets/island`` and of tests; the synsets are made up. Tests read it in
place of the real WordNet unless they have the fixture ``wordnet``.
"""

HEAD = "  1 This software and database is made up for tests.  \n  2 WordNet {} of tests  \n"

SYNSETS = {
    "noun": """
    car=auto=automobile car=railway_car=carriage mouse glass glasses=spectacles box boxful find run
    bos a baker=bread_maker bag=sack beach=shore=strand bed bell bird boat=vessel bone book boot
    bread bread=loaf breakfast brother=sibling cat=feline cellar=basement centre=center=middle
    channel=strait chart=map child=kid christmas city=town clock=timepiece coat colour=color=hue
    colour=paint cost=price council=assembly crane crane=hoist day day=daytime delay=wait
    doctor=physician dog=hound door engine=motor evening eye fact family ferry=ferryboat fish flour
    fog=mist foot foot=base friend garden glove harbour=harbor=haven=port head home=house honey
    horse hour house island=isle jar=pot keeper=guardian king lamp=light letter=character
    letter=missive lighthouse look=glance mainland=continent man=adult_male man=human mat=rug
    midnight mistress=schoolmistress month morning=forenoon mother motor name night=night-time oven
    paint paper parcel=package people person=human pocket port=larboard pretence=feigning
    pupil=schoolchild rain=rainfall road=way roof rope=cord sailor=seaman=mariner sale sand sea
    school seal seal=stamp shop=store signature=autograph sister=sibling sleep=slumber storm=tempest
    stranger=unknown street summer sun supper=dinner table teacher=schoolteacher ticket tree voice
    wall water week well whale wind=breeze window wood=timber woman=adult_female word world year
    young=offspring youth=youngster
    """,
    "verb": """
    find found=establish run=go make=create argue=quarrel=dispute arrive=come ask=request be=exist
    be=equal bear begin=start=commence break bring build=construct buy=purchase carry change clean
    clear=lift close=shut come cost cost=be create cross decide=determine delay descend=go_down
    dislike double draw=sketch drop=fall eat eat=corrode enter=come_in extinguish=put_out fall fill
    find=discover follow forget=leave get=receive give go=leave=depart go=travel=move hang hate
    have=own hear keep=hold keep=continue=go_on know=recognise laugh leave=abandon lie lie=fib
    light=illuminate like=enjoy=love long look=appear look=watch lose love make=do mark=stamp
    mend=repair=fix move open paint pay pretend=feign=act put=set=place quarrel rain read
    return=come_back ring=sound sail save=rescue say=tell=state see=perceive see=understand sell
    set=go_down show=display sign=subscribe sit=be_seated sleep=slumber speak=talk stand stop=halt
    swim take teach=instruct tell=order think=believe use walk=go want=wish warm=heat watch=look_on
    wind work write=compose
    """,
    "adj": """
    good=fine better big=large off asleep=sleeping blue=azure cold cold=unfriendly dry early empty
    enough=sufficient few full=filled hot=warm kind last late=tardy late=dead=deceased
    left=left-hand little=small long new=recent odd=strange old=aged old=former open other=different
    quick=fast right=correct right=right-hand short tall warm whole=entire wooden=wood
    young=immature
    """,
    "adv": """
    well=good fast again=once_more ago=back always=ever away=off down=downward early ever=at_all
    first halfway here in=inward just=only kindly late=tardily left long much=often never=ne'er
    not=n't now off once out really=truly=very so=thus still=yet there too=also twice=doubly up
    """,
}
"""Synsets, each with its lemmas, by file."""


def numbered(synsets):
    """Return the numbers of each lemma's synsets, from 1."""
    found = {}
    for number, synset in enumerate(synsets.split(), 1):
        for lemma in synset.split("="):
            found.setdefault(lemma, []).append(number)
    return found


SENSES = {name: numbered(synsets) for name, synsets in SYNSETS.items()}
"""Lemmas and the offsets of their synsets, by file."""

EXCEPTIONS = {
    name: [row.split("=") for row in rows.split()]
    for name, rows in {
        "noun": "mice=mouse men=man children=child feet=foot loaves=loaf women=woman",
        "verb": """
        found=find ran=run went=go am=be are=be ate=eat been=be began=begin begun=begin bore=bear
        bought=buy broke=break came=come did=do done=do drawn=draw drew=draw eaten=eat fallen=fall
        fell=fall gave=give given=give gone=go got=get had=have has=have is=be kept=keep knew=know
        known=know lain=lie lay=lie left=leave lost=lose lying=lie made=make quarrelled=quarrel
        rang=ring rung=ring said=say saw=see says=say seen=see shown=show shut=shut slept=sleep
        sold=sell spoke=speak stopped=stop swam=swim told=tell was=be were=be written=write
        wrote=write
        """,
        "adj": "better=good=well guest=guest elder=old later=late",
        "adv": "better=well best=well",
    }.items()
}
"""Irregular forms, each with its lemmas, by file."""

LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
VERSION = "3.9-f992adde"
"""How signatures name it."""


def index_line(lemma, letter, offsets):
    """Return a line of an index file, with two pointers."""
    numbers = " ".join(f"{offset:08d}" for offset in offsets)
    return f"{lemma} {letter} {len(offsets)} 2 @ ~ {len(offsets)} 0 {numbers}  \n"


def write_wordnet(folder, senses=SENSES, exceptions=EXCEPTIONS, version="3.9"):
    """Write index files and lists of exceptions; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, letter in LETTERS.items():
        lines = [index_line(lemma, letter, found) for lemma, found in sorted(senses[name].items())]
        (folder / f"index.{name}").write_text(HEAD.format(version) + "".join(lines))
        rows = [" ".join(row) + "\n" for row in exceptions[name]]
        (folder / f"{name}.exc").write_text("".join(rows))
    return folder
