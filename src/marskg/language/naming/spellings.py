"""The forms in which two spellings of a name are one, and the looser ones in which they may be.

Guarantees: pure functions. Canonically and compatibly equal spellings (Unicode UAX 15) are one, and so are those that
differ in case, blanks, what is not seen, typographic signs, the points of Arabic and Hebrew, which are left out as a
rule, the dot of a Turkish i, and the digits of another script. The loose form also forgets accents and the ways to
write without them; what is equal in it only is for a person to decide.
"""

from __future__ import annotations

import html
import ipaddress
import re
import unicodedata
from typing import Final

from marskg.late_regex import late_regex
from marskg.text import as_cased_name, as_name, normalised

#: Points that a reader supplies, and the stroke that fills a line of Arabic.
_POINTS: Final = late_regex(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]|(?<=i)\u0307"
)
_SIGNS: Final = str.maketrans(
    {
        "\u2010": "-",
        "\u2011": "-",
        "\u2212": "-",
        "\u2013": "-",
        "\u2019": "'",
        "\u02bc": "'",
        "\u02b9": "'",
        "`": "'",
        "\u00b4": "'",
        "\u0131": "i",
        "\u30fb": " ",
        "\u06cc": "\u064a",
        "\u06a9": "\u0643",
    }
)
_FOREIGN_DIGIT: Final = late_regex(r"[^\D0-9]")
#: Letters that have no accent to take away, and what stands for them where there is no key for them.
_PLAINER: Final = str.maketrans(
    {
        "ø": "o",
        "œ": "o",
        "æ": "a",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ħ": "h",
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ٱ": "ا",
        "ى": "ي",
        "ة": "ه",
        "ئ": "ي",
        "ؤ": "و",
        "-": " ",
        "'": " ",
        ".": " ",
        "_": " ",
        ",": " ",
    }
)
#: An address of the internet, sixth version, and colons that one without an abbreviation has.
_HOST: Final = late_regex(r"(?<![\w:])[0-9a-f:]{2,39}(?![\w:])")
_FEWEST_COLONS: Final = 7
#: An address that is written so that a machine does not see it.
_AT_HOST: Final = late_regex(r" at [\w-]+(?:\.| dot )\w")
_BRACKETED: Final = late_regex(r"at ?[)\]]")
_MASKED_AT: Final = late_regex(r" ?[\[(] ?at ?[\])] ?|%40|(?<=\w) (?:@|at) (?=[\w-]+[\s.])")
_MASKED_STOP: Final = late_regex(r" ?[\[(] ?dot ?[\])] ?| dot (?=\w)")
_TITLES: Final = {
    "doctor": "dr",
    "professor": "prof",
    "mister": "mr",
    "saint": "st",
    "captain": "capt",
    "junior": "jr",
    "senior": "sr",
}
_TITLE: Final = late_regex(rf"(?<!\w)(?:{'|'.join(_TITLES)})(?!\w)")
#: The sign that a letter stands twice.
_AGAIN: Final = late_regex("(\\w)々")
_INITIAL: Final = late_regex(r"(?<=\w) [a-z](?= \w)")
_HAN: Final = late_regex("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HIRAGANA: Final = late_regex("[\u3041-\u3096]+")
_KATAKANA: Final = late_regex("[\u30a1-\u30f6]+")
_KANA: Final = 0x60
_UNSPACED: Final = late_regex("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
#: Signs that a text has beside each other by chance: of Han, and of other scripts.
_FEW_HAN: Final = 2
_FEW: Final = 3
#: Han letters that are written in two ways or more.
_VARIANTS: Final = str.maketrans(
    "髙邊辺邉齋斎斉澤國廣広黑陳劉楊張黃趙吳呉馬孫鄭謝許韓馮鄧蕭葉蘇盧陸賈鄒龍竜顧龔萬万錢嚴華麗強偉靜靖傑濤剛紅輝"
    "鵬飛潔榮栄蘭鳳建曉豔穎瑤歡詩陽軒﨑嵜島嶋德眞惠櫻桜瀧渡壽濵濱関關諸歐賴鍾譚閻鄺龐聶顏顔駱齊蔣範簡項倫賀湯羅沖"
    "紹維緒緯綱繼聰聖莊荘蒼蓮薩藍藝衛見親觀訓誠語諾謀讓豐財貞貴費賢賓贊車軍轉運達遠鄉釗鈞鈺銀銘銳鋒錦鎮鏡鐵鉄長門"
    "開閔際雙雲電靈順頌領頤願風駿騰驍驊魯鮑鯤鶴麥黨齡慶應懷憲愛戰揚擇曄會東條業極楓楨樂楽樓橋權氣漢滿潤濟灣煒煥燁"
    "爾獻瑋瑪瑩環瓊畢發盡監禎禮穩筆節紀純經綸練義聞聲興舉詠論議護變質輔農進遊適釋鋼鐘陰隱難韋韻顯驚魚鳴鴻點喬單竇"
    "鞏藺酈駒児兒實実寛寬塩鹽圓円髪亜亞來勝勲勳匯區寧岡崗師帥幹庫彥從恆惡憶燦産當穂細綾縁薫諭譽讃豊貝郷隣頼駅鷹鳩",
    "高边边边斋斋斋沢国广广黒陈刘杨张黄赵吴吴马孙郑谢许韩冯邓萧叶苏卢陆贾邹龙龙顾龚万万钱严华丽强伟静靖杰涛刚红辉"
    "鹏飞洁荣荣兰凤建晓艳颖瑶欢诗阳轩崎崎島島徳真恵桜桜滝渡寿浜浜关关诸欧赖钟谭阎邝庞聂颜颜骆齐蒋范简项伦贺汤罗冲"
    "绍维绪纬纲继聪圣庄庄苍莲萨蓝艺卫见亲观训诚语诺谋让丰财贞贵费贤宾赞车军转运达远乡钊钧钰银铭锐锋锦镇镜铁铁长门"
    "开闵际双云电灵顺颂领颐愿风骏腾骁骅鲁鲍鲲鹤麦党龄庆应怀宪爱战扬择晔会东条业极枫桢乐乐楼桥权气汉满润济湾炜焕烨"
    "尔献玮玛莹环琼毕发尽监祯礼稳笔节纪纯经纶练义闻声兴举咏论议护变质辅农进游适释钢钟阴隐难韦韵显惊鱼鸣鸿点乔单窦"
    "巩蔺郦驹儿儿实实宽宽盐盐圆圆发亚亚来胜勋勋汇区宁冈岗师帅干库彦从恒恶忆灿产当穗细绫缘薰谕誉赞丰贝乡邻赖驿鹰鸠",
)
#: Signs that say something before a name and after one: ``@mila``, ``.net``, ``C++``.
_BEFORE: Final = "@+./\\&$"
_AFTER: Final = "+#"
#: Letters of a word that is shortened: *Jr.*, *Inc.*, an initial.
_SHORTENED: Final = 3
#: Times that a text is escaped at most.
_ESCAPED: Final = 4
#: Accents of Latin, Greek and Cyrillic letters, and the dot of the scripts of India; their other marks are vowels.
_ACCENTS: Final = late_regex("[\u0300-\u036f\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]")


def name_form(text: str) -> str:
    """Return a name, or a text in which names are sought, as they are compared."""
    return told(as_name(text))


def bare_form(form: str) -> str:
    """Return a :func:`name_form` without the signs around it that say nothing, such as quotes, brackets and a colon."""
    start, end = 0, len(form)
    while start < end and form[start] not in _BEFORE and not is_letter(form[start]):
        start += 1
    while start < end and form[end - 1] not in _AFTER and not is_letter(form[end - 1]):
        end -= 1
    return form[start:end] or form


def sought_form(name: str) -> str:
    """Return the form in which a name is looked for: without signs around it but the stop of a shortened last word."""
    form = name_form(name).strip()
    bare = bare_form(form)
    return f"{bare}." if f"{bare}." in form and len(re.split("[ .]", bare)[-1]) <= _SHORTENED else bare


def is_letter(sign: str) -> bool:
    """Return whether a sign is a letter, a digit, or a mark of one."""
    return unicodedata.category(sign)[0] in "LMN"


def unescaped(text: str) -> str:
    """Return a text without the references of HTML, also of those that were escaped again."""
    for _ in range(_ESCAPED):
        if "&" not in text or ";" not in text or (plain := html.unescape(text)) == text:
            break
        text = plain
    return text


def seen_form(text: str) -> str:
    """Return a text as it is seen, which its other forms are made of."""
    return as_cased_name(text)


def small_form(seen: str) -> str:
    """Return the :func:`name_form` of the text of which ``seen`` is the :func:`seen_form`."""
    return told(normalised(seen))


def cased_form(text: str) -> str:
    """Return :func:`name_form` before letters are made small: of the same length, but where case changes it."""
    return told(as_cased_name(text))


def without_accents(text: str) -> str:
    """Return a text without the accents of its letters; letters that are written otherwise without them stay."""
    if text.isascii():
        return text
    # What was taken apart and has no accents, such as Hangul, is whole again.
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def loose_form(form: str) -> str:
    """Return the loose form of a :func:`name_form`: without accents and signs, single blanks."""
    if not form.isascii():
        form = without_accents(form)
        if "々" in form:
            form = _AGAIN.sub(r"\1\1", form)
    if _is_masked(form):
        form = _MASKED_AT.sub("@", _MASKED_STOP.sub(".", form))
    plainer = " ".join(form.translate(_PLAINER).translate(_VARIANTS).split())
    if "::" in plainer or plainer.count(":") >= _FEWEST_COLONS:
        plainer = _HOST.sub(_shortest, plainer)
    if any(map(plainer.__contains__, _TITLES)):
        plainer = _TITLE.sub(lambda found: _TITLES[found[0]], plainer)
    return plainer.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def _is_masked(form: str) -> bool:
    """Return whether an address may be masked; quick where none is."""
    if "%40" in form or " @ " in form:
        return True
    if (")" in form or "]" in form) and _BRACKETED.search(form):
        return True
    return " at " in form and _AT_HOST.search(form) is not None


def without_initials(loose: str) -> str:
    """Return a :func:`loose_form` without initials between words."""
    return _INITIAL.sub("", loose)


def _shortest(found: re.Match[str]) -> str:
    try:
        return ipaddress.IPv6Address(found[0]).compressed
    except ValueError:
        return found[0]


def divides_nothing(letter: str) -> bool:
    """Return whether a letter is of a script that has no blanks between words, or names without them."""
    return _UNSPACED.match(letter) is not None


def other_kana(loose: str) -> str:
    """Return a name in Hiragana in Katakana, or the other way round; "" where it is in neither alone."""
    if _HIRAGANA.fullmatch(loose):
        return "".join(chr(ord(sign) + _KANA) for sign in loose)
    return "".join(chr(ord(sign) - _KANA) for sign in loose) if _KATAKANA.fullmatch(loose) else ""


def undivided(loose: str) -> str:
    """Return a :func:`loose_form` without what stands between its letters and digits.

    It is "" where a text would have it by chance: of one word of an alphabet with blanks, of few signs, of digits
    alone; and where marks are part of its letters.
    """
    signs = "".join(sign for sign in loose if sign.isalnum())
    if any(unicodedata.category(sign)[0] == "M" for sign in loose):
        return ""
    if all(map(divides_nothing, signs)):
        return signs if len(signs) >= (_FEW_HAN if _HAN.match(signs) else _FEW) else ""
    spelled = any(map(str.isalpha, signs)) and (
        signs != loose or any(map(str.isdigit, signs)) or signs[:3] in {"عبد", "ابو"}
    )
    return signs if spelled and len(signs) > _FEW else ""


def told(text: str) -> str:
    """Return a text, :func:`~marskg.text.as_name` or before that, without points and with plain signs and digits."""
    if text.isascii():
        return text.replace("`", "'")
    plainer = _POINTS.sub("", text).translate(_SIGNS)
    # A sign that is a blank now may stand beside one.
    return " ".join(_FOREIGN_DIGIT.sub(lambda found: str(unicodedata.digit(found[0])), plainer).split())
