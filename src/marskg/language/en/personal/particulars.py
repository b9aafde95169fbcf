"""What is said of people in English: origins, beliefs, health, names that are introduced, and words beside numbers.

Guarantees: plain tables (:mod:`marskg.language.personal`); the word for an origin or a belief is none by itself, since
a restaurant and a film have an origin too. Some words of neighbouring languages stand among them, as they do in texts of
people who write English. Words: the special categories of GDPR article 9 and the protected classes of US law.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.language.personal import Attributes, LabelWords, Particulars
from marskg.late_regex import late_regex

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
    r"gay|lesbian|bisexual|bi|homosexual|heterosexual|straight(?!\s(?:forward|ahead|with|to|from)\b)|queer|asexual"
    r"|pansexual|transgender|trans|transsexual"
    r"|non-?binary|genderfluid|intersex|a refugee|an asylum seeker|undocumented|an? (?:illegal )?immigrant|disabled"
)
_WORDS: Final = rf"(?:{_ORIGINS}|{_BELIEFS}|{_POLITICS}|{_IDENTITY})"
_SAID: Final = late_regex(
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
_HEALTH: Final = late_regex(
    r"(?<![^\W_])(?:diagnosed\swith|suffer(?:s|ed|ing)?\sfrom|allergic\sto|prescribed|hospitali[sz]ed|chemotherapy|radiotherapy"
    r"|in\sremission|hiv[ -]positive|(?:is|am|was|are|['’]m|['’]s)\s(?:\w+\s)?(?:pregnant|diabetic|epileptic|bipolar|autistic|suicidal)"
    rf"|(?:have|has|had|having|got|with)\s(?:\w+\s){{0,2}}(?:{_ILLNESSES})"
    r"|miscarriage|had\san?\sabortion|antidepressants?|antipsychotics?|insulin|\d+\s?mg\sof)(?![^\W_])",
    re.IGNORECASE,
)
#: One of these is in each such statement.
_HINTS: Final = (" am ", "m ", "re ", " is ", "'s ", "’s ", " are ", " was ", " were ", ":")

ATTRIBUTES: Final = Attributes(protected=(_SAID, _HINTS), health=_HEALTH)

_ACCOUNT_WORDS: Final = late_regex(
    r"\b(?:account|acct|a/c|kontonummer|konto|routing|aba|sort code|iban|checking|savings)\b", re.IGNORECASE
)
_PHONE_WORDS: Final = late_regex(
    r"\b(?:phones?|tel(?:ephone)?|call(?:ing|ed)?|mobile|cell(?:phone)?|fax|text(?:ing)?|sms|whatsapp|ring|dial|reach"
    r"|number|contact|handy\w*|(?:ruf|mobil|festnetz|telefon|handy)?nummer|anrufen|ruf|mobil|numéro|número|appelle[zr]?|portable"
    r"|teléfono|telefon\w*|móvil|celular|llám\w*|llamar|marca|telemóvel|numero|cellulare)\b|电话|手机|号码|電話|携帯|番号|전화|번호",
    re.IGNORECASE,
)
_AMOUNT_BEHIND: Final = late_regex(
    r"\s?(?:[$€£¥₹%]|(?:usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|yen|tokens?|km|kg|miles)\b)", re.IGNORECASE
)
_CAP: Final = r"[A-ZÀ-ÖØ-ÞŁŚŻŠČŘŽ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_FULL: Final = (
    rf"{_CAP}(?:\s(?:(?:van|von|de|der|den|del|della|di|da|la|le|el|al|bin|ibn|y|e|zu|ter|ten|Mc|Mac|O['’])\s){{0,2}}(?:{_CAP}|[A-Z]\.))"
    r"{0,3}"
)
_INTRODUCED: Final = late_regex(
    r"(?:(?i:\b(?:my|his|her|their|our|your|the)\s(?:full\s|first\s|last\s|middle\s|maiden\s|real\s|legal\s|family\s)?(?:sur)?name(?:\sis|['’]s|:|\swas)"
    r"|\bname(?:\sis|:)|\bnamed|\bcalled|\bcall\sme|\bknown\sas|\bmy\sname['’]?s|\bi\sgo\sby|\bspeaking\sto|\bthis\sis(?=\s[^\W\d_]+(?:\s[^\W\d_]+)?(?:\sspeaking|\shere|\sfrom|\scalling|[.,!]))"
    r"|\bich\shei(?:ß|ss)e|\bmein\sname\sist|\bje\sm['’]appelle|\bme\sllamo|\bmi\schiamo|\bmi\snombre\ses)\s+(?:is\s|it['’]s\s)?)"
    rf"({_FULL})"
)
_I_AM: Final = late_regex(rf"\b(?:I['’]?m|I\sam|It['’]s|it['’]s)\s({_CAP}(?:\s{_CAP}){{1,2}})(?=[.,!?\s]|$)")
_TITLED: Final = late_regex(
    r"(?<!\w)(?:(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Sir|Madam|Herr|Frau|Señora?|Sr|Sra|Monsieur|Madame|M|Mme|Signora?)(?:\.|(?<=[a-z]{3})|(?<=Mr|Ms|Mx|Dr|Sr))"
    r"|(?i:mr|mrs|ms|dr)\.)"
    rf"\s({_FULL})"
)
_LETTER: Final = late_regex(
    rf"(?:^|\n)\s*(?i:dear|hi|hello|hey)\s({_CAP}(?:\s{_CAP})?)\s*[,!\n]"
    rf"|(?i:\b(?:regards|sincerely|yours|cheers|thanks),?\s*\n?\s*)({_CAP}(?:\s{_CAP}){{0,2}})\s*(?:\n|$)"
)
_RELATED: Final = late_regex(
    r"(?i:\bmy\s(?:wife|husband|partner|boyfriend|girlfriend|fiancée?|son|daughter|kid|child|mother|father|mom|mum|dad"
    r"|brother|sister|aunt|uncle|grandmother|grandfather|grandma|grandpa|boss|manager|friend|neighbou?r|doctor|therapist"
    rf"|roommate|colleague|cousin|nephew|niece),?)\s({_CAP}(?:\s{_CAP})?)(?!\w)"
)
_NO_NAMES: Final = frozenset(
    "I The A An It This That He She They We You My Your Not Now Here Just Still Also Going Sure Sorry Glad Happy And But"
    " Or If When What Why How Who Where Is Was Are Yes No Ok Okay Please Thanks There All Everyone Team Sir Madam Customer"
    " Friend Friends Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July"
    " August September October November December English German French Spanish Italian American British Indian Chinese"
    .split()
)  # fmt: skip
#: The ways to introduce somebody, each with words one of which is in it.
_NAMES: Final = (
    (
        _INTRODUCED,
        ("name", "call", "known", "go by", "speaking", "this is", "hei", "appelle", "llamo", "chiamo", "nombre"),
    ),
    (_I_AM, ("i am", "i'm", "i’m", "im ", "it's", "it’s")),
    (_TITLED, ()),
    (_LETTER, ("dear", "hi ", "hello", "hey", "regards", "sincerely", "yours", "cheers", "thanks")),
    (_RELATED, ("my ",)),
)
_MONTHS: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)\.?"
)
_DATE: Final = late_regex(
    rf"(?<![\w./-])(?:\d{{4}}[-./]\d{{1,2}}[-./]\d{{1,2}}|\d{{1,2}}[-./ ]\d{{1,2}}[-./ ](?:\d{{4}}|\d{{2}})"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTHS},?(?:\s\d{{4}})?|{_MONTHS}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?)(?![\w/-])",
    re.IGNORECASE,
)
_BORN: Final = late_regex(
    r"\b(?:born|birth(?:\s?date|\s?day)?|b-?day|dob|d\.o\.b\.?|date of birth|geboren|geburtsdatum|geburtstag|née?|nacido|nacimiento"
    r"|naissance|nato|nata)(?!\w)",
    re.IGNORECASE,
)

PARTICULARS: Final = Particulars(
    account=_ACCOUNT_WORDS,
    phone=_PHONE_WORDS,
    amount=_AMOUNT_BEHIND,
    introductions=_NAMES,
    no_names=_NO_NAMES,
    born=_BORN,
    date=_DATE,
)

_CARD_WORD: Final = late_regex(
    r"(?<![a-z])(?:card|visa|mastercard|maestro|amex|credit|debit|pan)(?![a-z])", re.IGNORECASE
)
_IBAN_WORD: Final = late_regex(r"(?<![a-z])iban(?![a-z])", re.IGNORECASE)
_DIAL: Final = late_regex(
    r"(?<![a-z])(?:tel|telephone|phone|mobile|cell|fax|sms|callto|whatsapp|wa\.me)\W{0,3}$", re.IGNORECASE
)
_LABEL_BORN: Final = late_regex(r"(?<![a-z])(?:dob|born|birth[ _-]?date|date[ _-]of[ _-]birth)(?![a-z])", re.IGNORECASE)
_ID_WORD: Final = late_regex(
    r"(?<![a-z])(?:ssn|itin|nino|nhs|steuer\w*|tax|tin|bsn|tfn|medicare|sin|personnummer|pesel|cpf|aadhaar|kimlik|ni[ef]|dni|nric"
    r"|passports?|rrn|national|identity|citizen|insured|insurance|social|licen[cs]e|hetu|ahv|nir|curp)(?![a-z])",
    re.IGNORECASE,
)

LABEL_WORDS: Final = LabelWords(card=_CARD_WORD, iban=_IBAN_WORD, dial=_DIAL, born=_LABEL_BORN, national_id=_ID_WORD)
