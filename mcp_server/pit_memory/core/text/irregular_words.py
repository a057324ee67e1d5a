"""English words whose forms no ending tells: `went` is a form of `go`, `children` of `child`."""

from pit_memory.core.text.stems import stem

_FORMS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun
bend bent|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred
bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|cling clung
come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found
flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
freeze froze frozen|get got gotten|give gave given|go went gone|grind ground|grow grew grown
hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid
lead led|lean leant|leap leapt|learn learnt|leave left|lend lent|light lit|lose lost|make made
mean meant|meet met|overcome overcame|pay paid|ride rode ridden|ring rang rung|rise rose risen
run ran|say said|see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken
shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat
sleep slept|slide slid|speak spoke spoken|speed sped|spend spent|spill spilt|spin spun
spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung|strike struck
swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught
tear tore torn|tell told|think thought|throw threw thrown|understand understood
undertake undertook undertaken|undo undid undone|wake woke woken|wear wore worn|weave wove woven
weep wept|win won|wind wound|withdraw withdrew withdrawn|write wrote written
child children|man men|woman women|person people|foot feet|tooth teeth|mouse mice|goose geese
wife wives|life lives|knife knives|leaf leaves|shelf shelves|half halves|wolf wolves
"""
_BASE = {
    stem(form): stem(base)
    for group in _FORMS.replace("\n", "|").split("|")
    if group
    for base, *forms in [group.split()]
    for form in forms
}


def base_stem(stemmed: str) -> str:
    """The stem of the word that a stem's word is a form of; itself for all others."""
    return _BASE.get(stemmed, stemmed)
