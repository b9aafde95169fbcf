"""Spanish, as far as contradictions are found in it: see :mod:`marskg.language.clause_words`.

Guarantees: plain tables and patterns, of folded text. Dates, hours and sums are read as English writes them, so that
one reader of quantities serves both. Two negations of one clause deny once ("no bebe nunca").
"""

from __future__ import annotations

from typing import Final

from marskg.language.clause_words import (
    Attributes,
    Changes,
    ClauseWords,
    Negation,
    Tasks,
    Unasserted,
    folded_words,
    relations,
    said,
    sentences_with_ordinals,
    sides,
    stemming,
)
from marskg.late_regex import late_regex

_FUNCTION: Final = folded_words(
    "el la los las un una unos unas y o pero no ya nunca yo tú él ella nosotros ellos ellas me te se nos le les mi mis "
    "tu tus su sus nuestro nuestra es son era fue está están estoy estaba ha han he hay tiene tengo tienen tenemos de "
    "del "
    "a al en con por para sin sobre entre desde hasta como cuando que porque si también muy más menos ahora hoy ayer "
    "mañana siempre aquí allí lo este esta ese esa vive vivo viven trabaja trabajo bebe bebo come como gusta gustan "
    "encanta encantan odia odio ama llama nada nadie ningún ninguna tampoco además usamos usa debe hace habla juega "
    "toca "
    "canta fuma abre cierra sale empieza termina va viaja olvides años euros"
)
#: Names of attributes, by which a text of a label and a value is known.
_LABELS: Final = folded_words(
    "talla tamaño peso altura dirección precio color fecha proyecto presupuesto contraseña cumpleaños edad profesión "
    "teléfono ciudad empresa idioma plazo asunto lugar hora nombre apellido correo contacto notas ideas tareas"
)
_STOP: Final = folded_words(
    "el la los las un una unos unas y o pero ya yo tú él ella nosotros ellos ellas usted ustedes me te se nos le les "
    "mi "
    "mis tu tus su sus nuestro nuestra nuestros nuestras es son era fue está están estoy estaba ha han he hemos había "
    "hay tiene tengo tienen tenemos tener de del a al en con por para sin sobre entre desde hasta como cuando que "
    "porque "
    "si muy más ahora hoy ayer siempre aquí allí lo este esta estos estas ese esa eso esto is user todavía aún solo "
    "sólo "
    "actualmente antes después debe deben debo así mismo bien puede pueden puedo usuario"
)
terms: Final = stemming("spanish", _STOP)
_WORDS: Final = (
    ("enero", "january"), ("febrero", "february"), ("marzo", "march"), ("abril", "april"), ("mayo", "may"),
    ("junio", "june"), ("julio", "july"), ("agosto", "august"), ("sep?tiembre", "september"), ("octubre", "october"),
    ("noviembre", "november"), ("diciembre", "december"), ("(?:los )?lunes", "monday"), ("(?:los )?martes", "tuesday"),
    ("(?:los )?miércoles", "wednesday"), ("(?:los )?jueves", "thursday"), ("(?:los )?viernes", "friday"),
    ("(?:los )?sábados?", "saturday"), ("(?:los )?domingos?", "sunday"), ("dos", "2"), ("tres", "3"), ("cuatro", "4"),
    ("cinco", "5"), ("seis", "6"), ("siete", "7"), ("ocho", "8"), ("nueve", "9"), ("diez", "10"), ("once", "11"),
    ("doce", "12"), ("por ciento", "percent"), ("dólar(?:es)?", "dollars"), ("libras", "pounds"),
)  # fmt: skip
_MONTH: Final = "january|february|march|april|may|june|july|august|september|october|november|december"
_PHRASES: Final = said(
    (r"[¿¡]", ""),
    (r"(?<=\d)\.(?=\d{3}\b)", ""),
    (r"(?<=\d),(?=\d)", "."),
    *((rf"\b{word}\b", name) for word, name in _WORDS),
    (rf"(\d{{1,2}}) de (?={_MONTH})", r"\1 "),
    (rf"({_MONTH}) de (?=\d{{4}})", r"\1 "),
    (r"\ba las? (\d{1,2})[:.](\d{2})(?: horas| h)?\b", r" \1:\2 "),
    (r"\ba las? (\d{1,2})(?::00)? (?:y media)\b", r" \1:30 "),
    (r"\ba las? (\d{1,2})(?! ?(?:[ap]\.? ?m|:|\d|de la (?:tarde|noche|mañana)))\b(?: horas| h)?", r" \1:00 "),
    (r"\ba las? (\d{1,2}(?::\d{2})?) de la mañana\b", r" \1 am "),
    (r"\ba las? (\d{1,2}(?::\d{2})?) de la (?:tarde|noche)\b", r" \1 pm "),
    (r"(?<=\d) ?a\. ?m\.?", " am "),
    (r"(?<=\d) ?p\. ?m\.?", " pm "),
    (r"\b(?:no hay|sin|no cabe|no tengo)(?: ninguna| la menor)? dudas?(?: alguna)?(?: de)?(?: que)?\b", " "),
    (
        r"\b(?:dejó|dejé|dejaron|dejamos|ha dejado|he dejado|han dejado|paró|dejo) de (\w+r)\b(.*?)(?: en [\w ]+)?$",
        r" no \1\2",
    ),
    (r"\b(?:es|son|cuesta|cuestan|será)(?: de)?\b", " is "),
    (r"\b(?:desde|a partir de)(?: el| la)? [\w]+(?: pasad[oa]| próxim[oa])?$", " "),
    (r"\b(vivo|vivimos|trabajo|trabajamos) en\b", r" yo \1 en"),
    (r"\b(odio|detesto|adoro|amo|disfruto|prefiero)\b", r" yo \1"),
)
_LIKING: Final = (
    "gusta gustan gustaba encanta encantan encantaba ama amo aman adora adoro adoran disfruta disfruto fascina "
    "prefiere prefiero favorito favorita aprecia"
)
_DISLIKING: Final = (
    "odia odio odian detesta detesto detestan aborrece aborrezco disgusta desagrada evita aburre aburren"
)
_PAIRS: Final = (
    ("liking", _LIKING, _DISLIKING),
    ("holding", "confirmado confirmada confirmó", "cancelado cancelada canceló anulado anulada suspendido suspendida"),
    ("opening", "abierto abierta abre abren", "cerrado cerrada"),
    ("agreement", "aprobado aprobada aceptó aceptado aceptada", "rechazado rechazada rechazó denegado denegada"),
    ("permission", "permitido permitida", "prohibido prohibida"),
    ("presence", "disponible", "indisponible agotado agotada"),
    (
        "switch",
        "activo activa activado activada encendido encendida",
        "inactivo inactiva desactivado desactivada apagado",
    ),
    ("success", "ganó ganado aprobó", "perdió perdido suspendió"),
    ("truth", "verdadero verdadera cierto correcto correcta", "falso falsa incorrecto incorrecta"),
    ("marriage", "casado casada", "divorciado divorciada soltero soltera"),
    ("employment", "contratado contratada empleado empleada", "despedido despedida desempleado desempleada"),
    ("possibility", "posible", "imposible"),
    ("safety", "seguro segura", "inseguro insegura peligroso peligrosa"),
    ("repair", "reparado reparada arreglado arreglada", "roto rota averiado averiada estropeado estropeada"),
    ("completion", "terminado terminada completo completa acabado", "pendiente incompleto incompleta inacabado"),
)
side: Final = sides(_PAIRS, stemming("spanish", frozenset()))
_CHANGE: Final = frozenset(
    terms(
        "cambió cambia cambiado cambiamos cambiaron cambié movió movido trasladó trasladado aplazó aplazado pospuso "
        "pospuesto adelantó adelantado subió subido bajó bajado aumentó aumentado redujo reducido pasó pasado pasamos "
        "sustituyó sustituido sustituimos reemplazó reemplazado actualizó actualizado amplió"
    )
)
_SAYS: Final = (
    r"(?:dijo|dice|dicen|dijeron|afirma|afirmó|asegura|aseguró|cree|creía|creen|piensa|pensaba|opina|opinó|sostiene|"
    r"supone|sospecha|comentó|contó|escribió|jura|juró|niega|negó|duda|espera que|teme|insiste|insistió|imagina)"
)
_UNASSERTED: Final = Unasserted(
    requested=late_regex(r"\b(?:puedes|podrías|puede|podría|podemos)\b|\bpor favor\b"),
    suggested=late_regex(r"^[¿¡ ]*(?:y |pero )?(?:por qué|qué tal si|cómo no)\b"),
    supposed=late_regex(
        r"(?:^[¿¡ ]*|[,;] |\b(?:y|solo|pero|que) )si (?!bien\b)|\ba menos que\b|\ba no ser que\b|\ben caso de\b|"
        r"\bsuponiendo\b|^(?:supongamos|imagina)\b|\bsalvo que\b|\bfuera\b(?! de)|\bojalá\b|\b\w+(?:ría|rían)\b"
    ),
    reported=late_regex(
        rf"\b(?!(?:yo|usuario)\b)\w+ {_SAYS}\b|^{_SAYS}\b|[\"”»],? ?{_SAYS}\b|\bsegún\b|\bsupuestamente\b|"
        r"\bal parecer\b|\bse rumorea\b|\brumor(?:es)?\b|\bhe oído\b"
    ),
    ironic=late_regex(
        r"^[¡¿ ]*(?:sí,? (?:claro|seguro|hombre|ya)|claro,? (?:claro|cómo no|que sí)|"
        r"qué (?:maravilla|bien|alegría|sorpresa)|como si\b|ya,? claro|ja,? ja|menuda? )|\bni de broma\b|🙄|/s$"
    ),
)
_NEGATION: Final = Negation(
    words=folded_words("no nunca jamás nada nadie ningún ninguna ninguno tampoco ni"),
    limits=folded_words("solo sólo solamente únicamente simplemente siempre necesariamente"),
    void=late_regex(
        r"\b(?:nada|nadie|nunca|ningún|ninguna|no)\b.{0,60}\b(?:más|mejor|menos|tanto|tan)\b.{0,60}\b(?:que|como)\b|"
        r"\b(?:nada|nadie|ningun[oa]) (?:salvo|excepto|sino|menos)\b|\bno\b.{0,60}\b(?:sin|hasta)\b|"
        r"\b(?:no|nunca)\b.{0,40}\b(?:suficiente|bastante)\b|\bo no\b|\bsi no\b|\bno menos\b|\bno obstante\b|"
        r"\bno faltaba más\b|\bcómo no\b"
    ),
    narrows=late_regex(
        r"\b(?:sin|hasta|salvo|excepto|antes|después|durante|mientras|cuando|menos|todo|toda|todos|todas|siempre|"
        r"demasiado|sol[oa]s?)\b"
    ),
    unsure=late_regex(r"\b\w+(?:ría|rían|ríamos)\b"),
    passed=late_regex(r"\w+mente|muy|tan|sea|le|lo|se|me|nos"),
    raised=frozenset(terms("creo cree pienso piensa encuentro parece")),
    doubles=False,
)
_NOW: Final = r"(?: (?:ahora|actualmente|ya|hoy))?"
_IS: Final = rf"\s+is\s*{_NOW}\s*(?:el |la |los |las )?(?P<value>\S.*)$"
_THE: Final = r"(?:el|la|mi|tu|su|nuestro|nuestra)"
_ATTRIBUTES: Final = Attributes(
    relations=relations(
        ("lives", rf"^(?P<who>.{{0,40}}?)\b(?:viv(?:e|o|en|imos)|resid(?:e|o|en)){_NOW} en (?P<value>.+)$"),
        ("lives", r"^(?P<who>.{0,40}?)\bse (?:mudó|ha mudado) a (?P<value>.+)$"),
        ("works", rf"^(?P<who>.{{0,40}}?)\btrabaj(?:a|o|an|amos){_NOW} (?:en|para) (?P<value>.+)$"),
        ("named", rf"^(?P<who>.{{1,60}}?) se llama{_NOW} (?P<value>.+)$"),
        ("written", rf"^(?P<who>.{{1,60}}?) está{_NOW} (?:escrit|programad|desarrollad)[oa] en (?P<value>.+)$"),
        ("hosted", rf"^(?P<who>.{{1,60}}?) (?:está alojad[oa]|se aloja|corre){_NOW} en (?P<value>.+)$"),
        ("led", rf"^(?P<who>.{{1,60}}?) está{_NOW} dirigid[oa] por (?P<value>.+)$"),
    ),
    open=(
        late_regex(rf"^(?P<who>{_THE} (?P<head>[\w-]+)(?: [\w' -]{{1,60}}?)?){_IS}"),
        late_regex(rf"^(?P<who>{_THE} (?P<head>[\w-]+)(?: [\w' -]{{1,60}}?)?) está{_NOW} en (?P<value>\S.*)$"),
    ),
    sole=late_regex(
        r"\b(?:favorit[oa]|principal|predeterminad[oa]|oficial|únic[oa]|actual|preferid[oa]|jef[ea]|nombre|dirección|"
        r"correo|contraseña|nacionalidad|capital|color|marido|esposa|esposo)\b"
    ),
    many=frozenset(
        terms(
            "amigo amiga colega compañero compañera vecino vecina hermano hermana hijo hija primo prima tío tía "
            "sobrino "
            "sobrina nieto nieta gato perro mascota afición interés objetivo problema idea plan tarea miembro cliente "
            "socio "
            "proveedor autor autora libro canción película serie juego ejemplo razón ventaja desventaja parte "
            "tema fortaleza debilidad sueño deseo alumno estudiante empleado invitado cosa punto meta"
        )
    ),
    entries=folded_words("nota recordatorio tarea idea objetivo pendiente consejo"),
    lists=folded_words("lista agenda historial colección tareas notas ideas objetivos puntos"),
    no_label=folded_words("is es son dijo dice siguiente siguientes incluye"),
    vague=late_regex(
        r"(?:un|una|unos|unas|el|la|los|las|muy|más|menos|tan|mi|tu|su|nuestr[oa]|este|esta|ese|esa|para|por|en|de|del|a|"
        r"al|con|sin|sobre|como|que|casa|paz)\b"
    ),
)
_PAST: Final = late_regex(
    r"\w{2,}(?:ó|é|aron|ieron|amos|imos|aba|ía)|fue|era|eran|hizo|tuvo|vino|dijo|ayer|hoy|"
    r"\w+[ai]do"
)
_PRESENT: Final = folded_words("vivimos tenemos usamos trabajamos estamos vamos bebemos está café té")
_USER, _HE, _SHE = "user", "he", "she"


def _happened(listed: list[str]) -> bool:
    """Return whether a clause tells what happened once, and does not say that something changed."""
    found = [word for word in listed if _PAST.fullmatch(word) and word not in _PRESENT and side_of(word) is None]
    auxiliary = not {"ha", "he", "han", "hemos"}.isdisjoint(listed)
    return any((auxiliary or not word.endswith("do")) and _CHANGE.isdisjoint(terms(word)) for word in found)


def side_of(word: str) -> tuple[str, int] | None:
    """Return the side that a word takes, None for none."""
    return next((taken for term in terms(word) if (taken := side(term)) is not None), None)


SPANISH: Final = ClauseWords(
    name="es",
    function=_FUNCTION | _LABELS,
    side=side,
    negation=_NEGATION,
    split=late_regex(
        r",?\s+\b(?:pero|aunque|mientras que|sino(?: que)?|sin embargo)\b,?\s+|;\s+|\s[-–—]\s|"
        r",\s+(?=(?:y|yo|él|ella|ellos|ahora|lo|la|le)\b)"
    ),
    phrases=_PHRASES,
    filler=frozenset(terms("realmente exactamente aproximadamente casi bastante todavía quizá quiere quiero hacer")),
    unasserted=_UNASSERTED,
    changes=Changes(
        words=_CHANGE,
        moved=(late_regex(r"\bde (?P<old>.{1,80}?) a (?P<new>.{1,120}?)(?= para |$)"),),
        replaced=(
            late_regex(r"\b(?:sustitu|reempla|cambi)\w+ (?:a |el |la |los )?(?P<old>.{1,80}?) por (?P<new>.{1,120})$"),
        ),
        instead=late_regex(r"\b(?:en lugar de|en vez de|en lugar del|en vez del)(?: el| la)? (.{1,80})$"),
        now=late_regex(r"\bahora\b|\bactualmente\b"),
    ),
    tasks=Tasks(
        need=late_regex(r"\b(?:ten(?:go|emos) que|tiene[n]? que|debe[ns]?|debo|debemos|hay que|necesit\w+|falta)\b"),
        done=late_regex(r"\b(?:terminad|acabad|hech|list|completad)[oa]s?\b|\bya\b(?! no)"),
        ended=late_regex(r"\bya no\b|\bno\b.{1,60}\bmás$"),
        dropped=late_regex(r"\b(?:elimin\w+|quit[ae]\w*|borr\w+|tach\w+)\b"),
        words=frozenset(
            terms("terminado acabado hecho listo completado eliminar quitar borrar tachar necesita necesito")
        ),
    ),
    attributes=_ATTRIBUTES,
    persons={
        **dict.fromkeys(("yo", "nosotros", "tú", "me", "nos", "usuario"), _USER),
        "él": _HE,
        "ella": _SHE,
    },
    owners={
        **dict.fromkeys(("mi", "mis", "nuestro", "nuestra", "tu", "tus"), _USER),
        "su": _HE,
        "sus": _HE,
    },
    scope=late_regex(
        r"\b(?:en|durante|antes de|después de|hasta|cuando|por) ((?:(?:el|la|los|las|un|una) )?\w+(?: \w+)?)"
    ),
    request=late_regex(r"\bpor favor\b|\b(?:puedes|podrías)\b"),
    added=late_regex(r"\b(?:también|además|asimismo|otr[oa]s?|igualmente|tampoco)\b"),
    event=_happened,
    terms=terms,
    sentences=sentences_with_ordinals,
)
