"""What the languages put beside a name: endings, particles, family names, and words that are names as well.

Guarantees: closed lists, each of what is common enough to meet; a word that is on none of them is decided by the rule
of its script, toward *near*. An ending is taken as one only where the text is in its language and no name is known
that is spelled so; else a person decides. Sources: the case systems of German, Finnish and Turkish, the proclitics of
Arabic and Hebrew, the particles of Japanese and Korean, as grammars list them.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Characters of a name of a family name and one more.
SHORT_NAME: Final = 2
#: Letters and marks that an ending has at most where its language is not known.
LONGEST_ENDING: Final = 5
#: Letters of an ending that no name in another language is likely to have.
_TELLING: Final = 3
#: Letters of a name that a particle of one letter before it does not make another name of.
_WHOLE: Final = 4
#: Titles that are shortened, and initials: the alternatives of a pattern, after which a stop may stand or be left out.
SHORTENED: Final = "dr|mr|mrs|ms|prof|st|sr|jr|[a-z]"


def words_of(words: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(words.split())


def rows_of(table: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the kind, the language and the words of each row of a table of this folder, where ``_`` is a blank."""
    source = files("marskg").joinpath("language", "naming", table).read_text(encoding="utf-8")
    for line in source.splitlines():
        if line and line[0] != "#":
            kind, language, words = line.split("\t")
            yield kind, language, tuple(word.replace("_", " ") for word in words.split())


def words_by_kind(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the words of a table of this folder by their kind, those of all languages together."""
    found: dict[str, tuple[str, ...]] = {}
    for kind, _, words in rows_of(table):
        found[kind] = found.get(kind, ()) + words
    return found


#: Cases that are attached to names: of German and Dutch, of Finnish and Estonian, of Turkish.
_GERMAN: Final = words_of("s")
_FINNISH: Final = words_of(
    "n a ä ta tä ssa ssä sta stä lla llä lle lta ltä na nä ksi an en in on än lta lle sta kin ko kö lle lta"
)
_TURKISH: Final = words_of(
    "ı i u ü a e ya ye yı yi yu yü da de ta te dan den tan ten la le yla yle "
    "ın in un ün nın nin nun nün lar ler ca ce daki deki taki teki ki dir "
    "dır"
)
#: What Persian attaches to names, and Arabic where they are objects, in the form in which names are compared.
PERSIAN: Final = words_of("ها های هایی را ام ات اش ي ئي ا")
#: What stands after a name and an apostrophe: of English, Dutch and Danish, and the cases of Turkish.
AFTER_APOSTROPHE: Final = words_of("s d ll ve re m es er n") | _TURKISH
ENDINGS: Final = _GERMAN | _FINNISH | _TURKISH
#: Words that are frequent in a text of the language and are none of English.
_TELLS: Final = (
    (
        _GERMAN,
        late_regex(
            r"(?<!\w)(?:und|ist|nicht|der|das|dem|den|ein|eine|einen|mit|von|zu|zum|zur|für|auf|ich|wir|sie|im|am|bei|"
            r"aus|beim|vom|ins|sind|wird|haben|kommt|auch|noch)(?!\w)"
        ),
    ),
    (
        _FINNISH,
        late_regex(r"(?<!\w)(?:ja|ei|että|kanssa|hän|mutta|myös|niin|sen|nyt|ovat|oli|kun|minä|sinä|luona|vain)(?!\w)"),
    ),
    (_TURKISH, late_regex(r"[ğş]|(?<!\w)(?:ve|bir|bu|için|ile|çok|var|yok|değil|mi|mı)(?!\w)")),
)
#: Names that are another name and ``s``.
_NAMES_IN_S: Final = words_of(
    "andreas lucas lukas jonas elias thomas tobias matthias nicolas nikolas niklas marcos carlos silas barnabas "
    "paulos mathias josias annas inas mias tomas markos georges charles jules gilles yves hans klaus claus james "
    "jacques lars nils niels mats jens magnus jesus moses alexis chris boris doris iris phyllis francis dennis curtis "
    "lewis louis agnes ines mercedes dolores lourdes achilles hercules simons peters roberts williams jacobs adams "
    "richards davids stevens edwards phillips daniels matthews andrews marks evans owens hughes jones"
)


def is_ending(name: str, rest: str, text: str) -> bool:
    """Return whether ``rest`` after ``name`` is a case of the language that ``text`` is in, and makes no other name."""
    if rest in _GERMAN:
        tells = any(rest in endings and found.search(text) for endings, found in _TELLS)
        return tells and name[-1] in "aeiouy" and name.rpartition(" ")[2] + rest not in _NAMES_IN_S
    if len(rest) < _TELLING:
        return False
    return any(rest in endings and found.search(text) for endings, found in _TELLS)


#: Particles before a name: of Arabic, of Hebrew, of Amharic.
PREFIXES: Final = words_of(
    "و ف ب ل ك ال وال بال لل فال كال ول وب فل ו ה ב כ ל מ ש וה ול וב ומ וש וכ של ה כש ከ ለ በ የ እነ ስለ"
)


def is_prefix(name: str, rest: str) -> bool:
    """Return whether ``rest`` before ``name`` is a particle that makes no other name of it.

    Hebrew but for *and*, and a particle before a short name, leave it open: Sharon is *that Ron* in letters.
    """
    hebrew = "\u0590" <= rest[0] <= "\u05ff"
    if hebrew and rest != "ו":
        return False
    return len(name) >= _WHOLE and not "\u1200" <= rest[0] <= "\u139f"


# --- Chinese, Japanese, Korean --------------------------------------------------------------------------------------

HAN_SURNAMES: Final = frozenset(
    ""
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚"
    ""
    "卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴武戴莫孔向汤湯"
)
#: Family names of two characters, of which the second is one as well.
HAN_COMPOUNDS: Final = words_of(
    "司马 司馬 欧阳 歐陽 上官 诸葛 諸葛 皇甫 尉迟 公孙 公孫 慕容 东方 東方 夏侯 令狐 司徒 宇文 长孙 長孫 独孤 南宫 端木"
)
HANGUL_SURNAMES: Final = frozenset("김이박최정강조윤장임한오서신권황안송류홍")
HANGUL_PARTICLES: Final = words_of(
    "가 이 은 는 을 를 의 에게 한테 와 과 도 만 씨 님 야 아 랑 이랑 께서 께 에 에서 로 "
    "으로 부터 까지 보다 처럼 마다 이다 입니다 이에요 예요 씨가 씨는 씨를 씨의 "
    "씨에게 님이 님은 님을 님의 님께 에게서 한테서 이가 이는 이를 이의 이와 하고 "
    "조차 밖에 라고 이라고"
)
#: Particles of one syllable that end given names as well.
HANGUL_GIVEN: Final = frozenset("은이아만도로의랑과")

# --- Identifiers and English ----------------------------------------------------------------------------------------

SCHEMES: Final = late_regex(r"(?<!\w)(?:mailto|tel|sip|xmpp|skype|acct|callto|sms|matrix|urn|doi|orcid):\Z")
#: Words of English and Chinese that people are called as well; where no capital says so, a person decides.
COMMON: Final = words_of(
    "will may mark rose bill grace hope joy art rob jack frank dawn june april august summer faith chance drew grant "
    "guy lane miles pat penny ray rich sue ruby pearl amber iris lily violet ivy daisy heather holly olive hazel sage "
    "reed wade dean duke earl king max gene crystal destiny harmony melody christian nick don bob angel autumn baker "
    "bishop brook bud buck carol charity chase chip chuck clay cliff cook daily dale dick dusty fern ford fox ginger "
    "glen hank hunter jasmine jean jewel josh lance land law long love major mason mike misty mercy norm opal park "
    "patience peg pierce poppy porter price prince queen randy read rusty savannah sandy skip sky star stone storm "
    "summer taylor tanner tucker van victor victory ward water west wing wood woods young turner page parker robin "
    "jay lark wren bell day field green brown black white gray grey hall hill house knight lake little mill more "
    "noble north power rivers rock rush sharp short small snow south speaker spring street strong swift temple towns "
    "wolf word worth go slack notion target apple shell oracle zoom meta square signal excel outlook edge chrome "
    "rust dart teams access discord stripe "
    "高明 高兴 高興 高度 高峰 文明 安宁 安寧 安静 安靜 "
    "白雪 白云 白雲 黄金 黃金 金星 夏天 方圆 方便 方向 向阳 向陽 "
    "李子 杨树 楊樹 杨柳 黄豆 马车 金子 金鱼 江水 林地 田地 钟头 龙虾 史上 毛笔 万能 任务 任務 任何 任意 "
    "何时 何處 何处 何必 何况 何人 高楼 高大 高铁 高原 周一 周二 周三 周四 周五 周六 周日 孙女 孫女 胡同 胡子 胡说 "
    "罗列 谢谢 謝謝 许多 許多 许可 許可 韩国 韓國 韩语 曾经 曾經 肖像 董事 杜绝 苏州 付费 熊猫 熊貓 江河 "
    "武汉 武漢 武力 马力 馬力 みな 우리 나라 하나 소리 사랑 바다 나무 다리 바람 구름 여름 가을 겨울 "
    "江山 成功 温柔 平安 周到 明白 孙子 孫子 "
    "時光 时光 "
    # Of letters that are family names, or that given names are made of: no more than the words that are frequent.
    "方法 方式 方面 方案 方针 方針 方才 方程 安全 安排 安装 安心 安慰 平时 平時 平常 平均 平台 平等 文化 "
    "文件 文章 "
    "文字 文学 文學 明显 明顯 明年 明星 高级 高級 高中 高考 高速 高手 高层 高温 白天 白色 白酒 白菜 黄色 黃色 "
    "黄河 黄瓜 "
    "金额 金額 金融 金属 金屬 金牌 石头 石頭 石油 江湖 江南 马上 馬上 马路 馬路 林业 田野 田园 夏季 夏日 钱包 "
    "錢包 温度 "
    "溫度 温暖 周末 周末 周围 周圍 周年 周期 程序 程度 万一 萬一 严重 嚴重 严格 嚴格 武器 武术 毛病 毛巾 毛衣 "
    "陆地 陆续 "
    "于是 余额 叶子 范围 範圍 付款 付出 段落 雷达 雷雨 史料 陶瓷 黎明 顾客 顧客 顾问 顧問 孔雀 向上 向来 常识 "
    "牛奶 国家 "
    "國家 国际 國際 建设 建設 建议 建議 建立 强大 成绩 成本 成员 成立 成长 永远 永遠 春节 春天 冬天 秋天 美丽 "
    "美麗 美国 "
    "生活 生命 生产 人民 民族 军事 军队 志愿 信息 信任 信心 忠诚 英文 英语 华人 中华 玉米 红色 紅色 红包 "
    "青年 青春 "
    "海洋 天气 天氣 天空 云端 新闻 新聞 学生 學生 思想 德国 智能 智慧 健康 快乐 幸福 宝宝 宝贝 家庭 庆祝 希望"
)
#: Words of other languages that are names: a person decides also where they begin a sentence, whose capital says
#: nothing.
SMALL_ABROAD: Final = words_of(
    "вера надежда любовь роза лилия слава лев мила злата рада мир лада заря снежана мороз волк заяц "
    "pierre blanche marine fleur claire juste prune clémence constance rosier luz sol mar cruz paz dolores pilar rosa "
    "flor estrella consuelo mercedes soledad victoria cielo blanca leon reyes campos rios flores guerra clara "
    "stella viola gioia vitória róża roos mei virág ilta deniz umut barış güneş yıldız aslan kaya toprak bahar yağmur "
    "savaş özgür çiçek gül devrim evren defne pınar kartal şimşek demir taş"
)
#: Words of scripts without capitals that are names; nothing but a form of address says that they are one.
UNCASED: Final = words_of(
    "さくら ひかり みどり かえで つばさ のぞみ いずみ みなみ はるか こころ ひまわり すみれ もみじ はな そら "
    "うみ にじ ほし あかり ほたる いぶき 하늘 보람 슬기 이슬 아름 가람 누리 노을 새벽 은하 미소 여울 "
    "אור שיר טל גל ים רז שחר אביב נור 希望 和平 نور أمل سلام حياة सूरज आशा ज्योति किरण सागर"
)
ADDRESSED: Final = late_regex("(?:さん|ちゃん|くん|さま|様|先生|君|殿|씨|님|ちゃま)")
#: Others, also of Russian, German, French, Spanish and Turkish: in small letters or after an article, a person decides.
SMALL: Final = SMALL_ABROAD | words_of(
    "abbey ace acre arrow ash ashes aspen aster barb barley basil beau beech berry birch birdie blaze blossom blue "
    "bonnie bow bowie boy brandy breeze brick bridge brie buddy bunny butch butcher butler cable camp candy cannon "
    "carpenter carter cash cedar cherry chester chestnut clementine clover coal cole colt cooper coral cotton cricket "
    "curt cutter dahlia darling dash deacon denim dex diamond dolly domino dot dove driver ebony echo elder ember "
    "emerald essence eve fable farmer fawn felicity finch fisher fletcher flint flora forest forrest forester frost "
    "gable gale gardener garland garnet gay gem genesis gill gin glory goldie grove gunner gus happy harper harry "
    "haven hawk heath hector herb heron hicks honey horn hyacinth hymn indigo ink jade jam jasper jenny jet jimmy "
    "jock joiner jolly jules juniper junior justice kit kitty lacy laurel lavender legend lemon lex liberty linden "
    "link lotus lucky lupine lynx maple marble marigold marina marshal mat mead merit merry miller minnow minute moss "
    "myrtle nectar nova oak oats ocean onyx otter paddy palmer pansy pasha pepper petal phoenix pike piper pip pixie "
    "poet potter prairie primrose promise quill rain rainbow ranger raven rebel ridge rhapsody river rod rogue roman "
    "rook rosemary rowan royal rue sable saffron sailor saint sally salt salvia sapphire sawyer scarlet scout season "
    "senior serenity shade shepherd sherry shirley sienna silver singer skinner skipper slater smith sonnet sonny "
    "sparrow spike spirit stew stock sunny sunshine swan tab tad tailor tawny teal terra thatcher thistle thyme tiger "
    "toby tony topaz tracy trinity trip tulip unity urban usher vale valentine velvet verity vesper vine viola waiter "
    "walker wally weaver webb wheeler willow winter wise woody yarrow yew zest zinnia вера надежда любовь роза лилия "
    "слава роман лев марк виктория мила майя злата рада мир лада заря снежана мороз волк заяц bauer koch könig "
    "schneider müller fischer weber becker vogel berg stein fuchs kaiser richter jäger zimmermann schäfer ernst stern "
    "klein lang schwarz weiß kurz groß engel graf herzog sommer krieger meister hahn schwan pierre blanche marine "
    "fleur claire juste prune clémence constance rosier boulanger berger charpentier luz sol mar cruz paz dolores "
    "pilar rosa flor estrella consuelo mercedes soledad victoria cielo blanca leon reyes campos rios flores guerra "
    "deniz umut barış güneş yıldız aslan kaya toprak bahar yağmur savaş özgür çiçek gül devrim evren defne pınar "
    "kartal şimşek demir taş "
    " drake sterling marshall crane crow squire mercer archer chandler clerk fuller glover miner painter plumber reeve "
    "rider spicer steward warden yeoman baron burgess constable lord pope abbot monk priest sexton"
)
#: What stands before a word that is no name there.
ARTICLES: Final = late_regex(
    r"(?<!\w)(?:the|a|an|der|die|das|den|dem|des|ein|eine|einen|einem|einer|le|la|les|un|une|el|los|las|una|il)\s\Z"
)
#: Those of the words above that are notions, of which a sentence may tell as it tells of people.
NOTIONS: Final = words_of(
    "hope joy art grace dawn june april august summer faith chance angel autumn charity chase crystal day destiny "
    "field fern ginger green harmony heather holly iris ivy lily violet daisy rose ruby pearl amber hazel jewel lake "
    "land law light love melody mercy misty noble north opal park patience poppy power price rock sky snow south "
    "spring star stone storm street temple victory water west wing wood woods word worth young little long more short "
    "sharp small strong swift rich rusty olive jasmine sage reed brook cliff clay house hall hill mill river rivers "
    "speaker day"
)
TIMES: Final = words_of("april may june august summer autumn spring dawn day")
BEFORE_TIMES: Final = late_regex(
    r"(?<!\w)(?:in|since|until|till|by|of|next|last|this|early|late|mid|during|from|before|after|through|every|each|"
    r"for|at|on|or|and|to|\d+(?:st|nd|rd|th)?)[ -]\Z"
)
AFTER_TIMES: Final = late_regex(r"[ ,]+\d|st(?!\w)")
#: What is counted, and people are called as well: *100 Mark*.
CURRENCIES: Final = words_of(
    "mark marks franc francs frank pound pounds penny rand real reals krone krona kroner kronor crown crowns lira lire "
    "peso pesos won yen dinar leu lei lev rial riyal rupee rupees sterling dollar dollars euro euros cent cents bob "
    "buck bucks quid grand pesa sol soles colon bolivar florin guilder gulden taler schilling zloty forint ruble rubles"
)
#: What follows the name of somebody who is told of.
AFTER_PEOPLE: Final = late_regex(
    r"'s\b|[:,]|\s(?:is|was|has|had|does|did|doesn't|didn't|isn't|wasn't|will|would|can|could|should|might|and|with|also|"
    r"just|said|says|told|tells|asked|asks|wants|wanted|likes|liked|loves|loved|hates|hated|works|worked|lives|lived|"
    r"moved|moves|went|goes|came|comes|called|calls|thinks|thought|knows|knew|needs|needed|prefers|preferred|plays|"
    r"played|bought|buys|got|gets|made|makes|took|takes|gave|gives|eats|ate|drinks|drank|reads|runs|ran|plans|planned|"
    r"met|meets|visited|visits|uses|used|never|always|often|sent|wrote|writes|left|joined|paid|pays|owns|teaches)(?!\w)"
)
