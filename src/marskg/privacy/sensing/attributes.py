"""Statements about people that name a protected attribute, and words of medicine that leave no doubt.

Guarantees: pure functions; the word for an origin, a religion, a party, an orientation or an identity is no finding by
itself, since a restaurant and a film have an origin too: it has to be said of a person. Words: the special categories
of GDPR article 9 and the protected classes of US law.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

_ORIGINS: Final = (
    r"afghan|african|albanian|algerian|american|angolan|arab|argentin(?:e|ian|ean)|armenian|asian|australian|austrian"
    r"|azerbaijani|bahamian|bangladeshi|basque|belarus(?:s?ian)|belgian|belizean|bolivian|bosnian|brazilian|british"
    r"|bulgarian|burmese|cambodian|cameroonian|canadian|caribbean|catalan|chechen|chilean|chinese|colombian|congolese"
    r"|croat(?:ian)?|cuban|cypriot|czech|danish|dane|dominican|dutch|ecuador(?:i?an|ean)|egyptian|english|eritrean"
    r"|estonian|ethiopian|filipin[oa]|finnish|finn|french|gambian|georgian|german|ghanaian|greek|guatemalan|haitian"
    r"|hispanic|honduran|hungarian|icelandic|indian|indonesian|iranian|iraqi|irish|israeli|italian|ivorian|jamaican"
    r"|japanese|jordanian|kazakh|kenyan|korean|kosovar|kurd(?:ish)?|kuwaiti|lao(?:tian)?|latin[oax]|latvian|lebanese"
    r"|liberian|libyan|lithuanian|macedonian|malaysian|malian|maltese|maori|mexican|moldovan|mongolian|moroccan"
    r"|mozambican|nepal(?:ese|i)|nicaraguan|nigerian|norwegian|omani|pakistani|palestinian|panamanian|paraguayan"
    r"|persian|peruvian|pole|polish|portuguese|puerto rican|qatari|roma|romani|romanian|russian|rwandan|salvadoran|saudi"
    r"|scottish|scot|senegalese|serb(?:ian)?|sicilian|singaporean|slovak(?:ian)?|slovene|slovenian|somali|spanish"
    r"|spaniard|sri lankan|sudanese|swede|swedish|swiss|syrian|tamil|taiwanese|tanzanian|thai|tibetan|tunisian|turk"
    r"|turkish|ugandan|uighur|uyghur|ukrainian|uruguayan|uzbek|venezuelan|vietnamese|welsh|yemeni|zambian|zimbabwean"
    r"|andorran|antiguan|bahraini|barbadian|bajan|basotho|beli[sz]ian|beninese|bermudian|bhutanese|botswanan|bruneian"
    r"|burkinab[eé]|burundian|cape verdean|chadian|comorian|costa rican|djiboutian|emirati|equatoguinean|faroese|fijian"
    r"|gabonese|greenland(?:er|ic)|grenadian|guinean|guyanese|hawaiian|inuit|kyrgyz|liechtensteiner|luxembourg(?:er|ish)"
    r"|malagasy|malawian|maldivian|marshallese|mauritanian|mauritian|micronesian|mon[eé]gasque|montenegrin|namibian|nauruan"
    r"|nigerien|palauan|papuan|quebecois|québécois|samoan|seychellois|sierra leonean|solomon islander|surinamese|swazi"
    r"|tajik|timorese|togolese|tongan|trinidadian|turkmen|tuvaluan|vanuatuan|zulu|(?:english|irish|french|dutch|welsh|scots)"
    r"(?:m[ae]ns?|wom[ae]n)|black|white|mixed race|biracial|native american|indigenous|first nations"
)
_BELIEFS: Final = (
    r"christian|catholic|protestant|orthodox|evangelical|baptist|lutheran|methodist|anglican|mormon|jehovah'?s witness"
    r"|muslim|moslem|sunni|shi(?:a|i|ite)|jew(?:ish)?|hindu|buddhist|sikh|jain|taoist|baha'?i|atheist|agnostic|pagan"
    r"|scientologist|quaker"
)
_POLITICS: Final = (
    r"republican|democrat|socialist|communist|conservative|liberal|libertarian|anarchist|marxist|monarchist|nationalist"
    r"|leftist|right-wing|left-wing|fascist"
)
_IDENTITY: Final = (
    r"gay|lesbian|bisexual|bi|homosexual|heterosexual|straight|queer|asexual|pansexual|transgender|trans|transsexual"
    r"|non-?binary|genderfluid|intersex|a refugee|an asylum seeker|undocumented|an? (?:illegal )?immigrant|disabled"
)
_WORDS: Final = rf"(?:{_ORIGINS}|{_BELIEFS}|{_POLITICS}|{_IDENTITY})"
_SAID: Final = re.compile(
    rf"(?<![^\W_])(?:(?:I|we|he|she|they|who|you)(?:\s(?:am|are|is|was|were)|['’](?:m|re|s))"
    rf"|(?:my|his|her|their|our)\s(?:\w+\s)?(?:wife|husband|partner|mother|father|mom|mum|dad|parents?|family|son|daughter|friend"
    rf"|boss|neighbou?r|grandparents?|grandmother|grandfather|girlfriend|boyfriend|colleague|doctor|teacher)\s(?:am|are|is|was|were))"
    rf"\s(?:(?:not|also|both|proud(?:ly)?|half|part|originally|ethnically|an?|the|very|actually|openly|devout|practi[sc]ing|strict"
    rf"|registered|born|lifelong|life-long|orthodox|of|from|in)\s){{0,4}}({_WORDS}(?:e?s)?)(?![^\W_])"
    rf"|(?<![^\W_])((?:nationality|ethnicity|religion|faith|race|sexual orientation|political (?:views?|affiliation|party)|citizenship)"
    rf"(?:\sis|:)\s{_WORDS})(?![^\W_])",
    re.IGNORECASE,
)
_ILLNESSES: Final = (
    r"diabetes|cancer|epilepsy|asthma|hiv|leuka?emia|lymphoma|dementia|alzheimer['’]?s|parkinson['’]?s|schizophrenia|hepatitis"
    r"|tuberculosis|arthritis|endometriosis|multiple sclerosis|crohn['’]?s|psoriasis"
)
_HEALTH: Final = re.compile(
    r"(?<![^\W_])(?:diagnosed\swith|suffer(?:s|ed|ing)?\sfrom|allergic\sto|prescribed|hospitali[sz]ed|chemotherapy|radiotherapy"
    r"|in\sremission|hiv[ -]positive|(?:is|am|was|are|['’]m|['’]s)\s(?:\w+\s)?(?:pregnant|diabetic|epileptic|bipolar|autistic|suicidal)"
    rf"|(?:have|has|had|having|got|with)\s(?:\w+\s){{0,2}}(?:{_ILLNESSES})"
    r"|miscarriage|had\san?\sabortion|antidepressants?|antipsychotics?|insulin|\d+\s?mg\sof)(?![^\W_])",
    re.IGNORECASE,
)
#: One of these is in each such statement.
_HINTS: Final = (" am ", "m ", "re ", " is ", "'s ", "’s ", " are ", " was ", " were ", ":")


def find(text: str) -> Iterator[Finding]:
    """Yield what ``text`` says of people's protected attributes."""
    if any(hint in text for hint in _HINTS):
        for match in _SAID.finditer(text):
            yield Finding(match.start(), match.end(), Category.PROTECTED, "said")
    for match in _HEALTH.finditer(text):
        yield Finding(match.start(), match.end(), Category.HEALTH, "said")
