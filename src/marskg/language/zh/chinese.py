"""Chinese, as far as contradictions are found in it: see :mod:`marskg.language.clause_words`.

Guarantees: plain tables and patterns, of simplified characters. Nothing cuts a text into words: a term is a character,
but for the words of these tables, which are found first, and for what is written in Latin letters. Dates, hours and
sums are read as English writes them, so that one reader of quantities serves both.
"""

from __future__ import annotations

import re
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
    sides,
)
from marskg.late_regex import late_regex

#: Words with a character of negation in them that deny nothing, or nothing by themselves.
_LEXICAL: Final = (
    "不仅 不但 不只 不光 不单 不止 不得不 不由得 忍不住 禁不住 差不多 不错 不过 不久 对不起 不好意思 不管 不论 无论 "
    "不少 不断 "
    "不如 没关系 没问题 没错 没事 迫不及待 恨不得 巴不得 舍不得 了不起 不一定 不见得 未必 说不定 要不 不妨 何不 "
    "毫无疑问 无疑 "
    "不用说 不愧 不失为 无非 莫非 不时 不约而同 毫不犹豫 不可或缺 离不开 少不了 特别 别人 别的 别墅 区别 级别 告别 "
    "未来 无线 无人 "
    "非常 没准 没收 淹没 不锈钢 莫过于 莫大 莫名"
)
#: Words that say nothing of what a clause is about, and single characters that do not either.
_STOP: Final = folded_words(
    "现在 目前 如今 已经 曾经 一直 仍然 仍旧 依然 还是 就是 只是 但是 可是 不过 而且 并且 因为 所以 其实 真的 "
    "确实 可能 应该 "
    "可以 需要 必须 的话 自己 我们 你们 他们 她们 咱们 用户 今天 昨天 明天 过去 左右 大约 最近 以来 is "
    "的 地 得 了 着 过 吧 呢 啊 呀 嘛 哦 是 在 有 和 与 跟 及 或 而 且 也 都 就 才 又 再 还 很 太 更 最 我 你 您 "
    "他 她 它 "
    "们 这 那 哪 个 位 把 将 被 给 对 从 到 向 往 于 以 之 其 所 会 能 要 想 已 正 仍 每 各 按 起 今 会 可"
)
_NOT: Final = folded_words(
    "不再 不会 不能 不是 不用 不必 无需 不需要 不要 不想 不可以 并不 并不是 并没有 从不 从来不 从未 从没 从来没有 "
    "没有 绝不 不 没 别 未 无 "
    "非 勿 莫 再也不"
)
_PAIRS: Final = (
    (
        "liking",
        "喜欢 喜爱 热爱 爱 爱好 爱上 欣赏 偏爱 钟爱 享受 迷上 最爱",
        "讨厌 厌恶 憎恨 恨 反感 嫌弃 厌倦 受不了 腻了 不喜欢",
    ),
    ("holding", "确认 确定 敲定", "取消 作废 撤销"),
    ("opening", "开放 营业 打开 开着 开门", "关闭 停业 歇业 关着 关门"),
    ("agreement", "同意 批准 接受 通过 赞成", "拒绝 驳回 否决 反对"),
    ("permission", "允许 准许 许可", "禁止 不准 不许 严禁"),
    ("presence", "有货 在岗", "缺货 售罄 离岗"),
    ("switch", "启用 激活 开启", "停用 禁用 关停 冻结"),
    ("success", "成功 及格 获胜", "失败 不及格 落败"),
    ("truth", "正确 属实", "错误 不实"),
    ("marriage", "已婚 结婚", "离婚 未婚 单身"),
    ("employment", "在职 录用 聘用", "离职 辞退 失业 解雇"),
    ("safety", "安全", "危险"),
    ("repair", "修好 完好", "坏了 故障 损坏 坏 坏掉"),
    ("completion", "完成 做完", "未完成 待办 没做完"),
)
_FILL: Final = ("经常", "常常", "通常", "总是", "特别", "十分", "非常", "其中", "大概", "稍微", "终于", "突然")
_SIDED: Final = frozenset(word for _, positive, negative in _PAIRS for word in (*positive.split(), *negative.split()))
_PEOPLE: Final = ("我的", "我们的", "咱们的", "你的", "您的", "他的", "她的", "它的", "他们的")
_LEXICON: Final = folded_words(_LEXICAL)
#: Longer words first; what is written in other letters is a word, and so is any other single character.
_TOKEN: Final = late_regex(
    "|".join(
        re.escape(word)
        for word in sorted({*_LEXICON, *_STOP, *_NOT, *_SIDED, *_FILL, *_PEOPLE}, key=lambda one: (-len(one), one))
        if len(word) > 1 and not word.isascii()
    )
    + r"|[a-z0-9](?:[a-z0-9+#]|[.\-_](?=[a-z0-9]))*|[^\W\d_a-z]"
)


def words_of(text: str) -> list[str]:
    """Return the words of the tables, Latin words and single characters of ``text`` in order."""
    return _TOKEN.findall(text.casefold())


def terms(text: str) -> list[str]:
    """Return the words of ``text`` without those that say nothing of what it is about."""
    return [word for word in words_of(text) if word not in _STOP and word not in _PEOPLE]


side: Final = sides(_PAIRS, words_of)
_MEASURE: Final = (
    "点|月|日|号|个|名|次|岁|元|块|年|天|小时|分钟|周|人|位|只|本|公里|千克|公斤|斤|米|杯|台|张|间|条|辆|层|页|倍|门|双"
)
_DIGITS: Final = (
    ("十二", "12"), ("十一", "11"), ("二十", "20"), ("三十", "30"), ("十五", "15"), ("十", "10"), ("一", "1"),
    ("二", "2"), ("两", "2"), ("三", "3"), ("四", "4"), ("五", "5"), ("六", "6"), ("七", "7"), ("八", "8"), ("九", "9"),
)  # fmt: skip
_MONTHS: Final = tuple(enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1))  # noqa: SIM905 - a table
_WEEK: Final = (
    ("一", "monday"), ("二", "tuesday"), ("三", "wednesday"), ("四", "thursday"), ("五", "friday"), ("六", "saturday"),
    ("[日天]", "sunday"),
)  # fmt: skip
_MORNING, _LATER = "(?:上午|早上|早晨|凌晨|清晨)", "(?:下午|晚上|傍晚|夜里|晚间)"
_PHRASES: Final = said(
    (
        r"(?:从)?(?:\d{1,4}年|[一二三四五六七八九十\d]{1,2}月|上个?月|去年|今年|下个?月|下?周\w?)(?:起|开始)(?=[不没])",
        " ",
    ),
    *((rf"(?:周|星期|礼拜){sign}", f" {name} ") for sign, name in _WEEK),
    *((rf"(?<![十一-九]){word}(?=(?:{_MEASURE}))", number) for word, number in _DIGITS),
    (r"(\d{4})年(\d{1,2})月(\d{1,2})[日号]", r" \1-\2-\3 "),
    *((rf"(?<!\d){number}月(\d{{1,2}})[日号]", rf" {name} \1 ") for number, name in reversed(_MONTHS)),
    (rf"{_MORNING}(\d{{1,2}})点半", r" \1:30 am "),
    (rf"{_LATER}(\d{{1,2}})点半", r" \1:30 pm "),
    (rf"{_MORNING}(\d{{1,2}})点(?:钟|整)?", r" \1 am "),
    (rf"{_LATER}(\d{{1,2}})点(?:钟|整)?", r" \1 pm "),
    (rf"{_MORNING}(\d{{1,2}}:\d{{2}})", r" \1 am "),
    (rf"{_LATER}(\d{{1,2}}:\d{{2}})", r" \1 pm "),
    (r"(\d{1,2})点半", r" \1:30 "),
    (r"(\d{1,2})点(\d{2})分?", r" \1:\2 "),
    (r"(\d{1,2})点(?:钟|整)?", r" \1:00 "),
    (r"(?<=\d)(?:美元|美金)", " dollars "),
    (r"(?<=\d)欧元", " euros "),
    (r"(?<=\d)(?:元|块钱?|人民币)", " yuan "),
    (r"百分之(\d+)", r" \1% "),
    (r"([成到为])了", r"\1"),
    (r"坏了", "坏掉"),
    (r"了(?=[\d\u4e00-\u9fff])(?!解)", " 过去 "),
    (r"了(?!解)", " "),
    (r"(?<![但还于总可就正算老倒真若要凡不])是(?![否非不])", " is "),
    (r"(?<=[\u4e00-\u9fff])(?=[\da-z])|(?<=[\da-z])(?=[\u4e00-\u9fff])", " "),
)
_NEGATION: Final = Negation(
    words=_NOT,
    void=late_regex(
        r"没有?(?:什么|谁|任何|哪).{0,20}比|没有?比|再.{0,4}不过|不.{0,12}才怪|不.{0,3}不|没有.{0,12}就不|非.{1,12}不可|"
        r"不亚于|不比.{1,8}(?:差|少)|不是.{0,12}而是|要不是"
    ),
    narrows=late_regex(r"之前|以前|之后|以后|除非|除了|只有|的时候|时候|单独|独自|全部|所有|总是|每次|一个人|直到"),
    unsure=late_regex(r"本来|原本会|恐怕|也许|或许"),
    passed=late_regex(r"太|怎么|那么|这么|十分|非常|特别|经常|常常|怎样"),
    raised=frozenset(("觉", "认", "以")),
)
_UNASSERTED: Final = Unasserted(
    requested=late_regex(r"请|能不能.{0,8}改|可以.{0,8}改"),
    suggested=late_regex(r"为什么|为何|何不|不如|要不要|是不是|是否|会不会|有没有|能不能|怎么"),
    supposed=late_regex(r"如果|要是|假如|假使|倘若|若是|除非|的话|万一|一旦|只要|要不是|假设"),
    reported=late_regex(
        r"(?:[^我们，。\s]|他们|她们|你们)(?:说过?|认为|以为|觉得|声称|宣称|表示|告诉|猜|怀疑|相信|听说|透露|抱怨)(?!明|话|服|法|唱)|"
        r"据说|听说|传闻|据.{1,8}(?:称|报道)|所谓|谣传|会说(?=$)"
    ),
    ironic=late_regex(
        r"^(?:是啊|呵呵|哈哈|哦，?(?:真棒|当然)|可不是|真行|好极了，又|得了吧)|才怪|🙄|[可真].{1,12}了呢"
    ),
)
_WHO: Final = r"^(?P<who>.{0,12}?)\s*(?:现在|目前|如今|已经?)?\s*"
_VALUE: Final = r"(?P<value>[^，。；,;]{1,15})$"
_ATTRIBUTES: Final = Attributes(
    relations=relations(
        ("lives", rf"{_WHO}(?:居?住在|搬到|搬去|搬进|定居在?|住)\s*{_VALUE}"),
        ("works", rf"{_WHO}在\s*(?P<value>[^在，。]{{1,15}}?)\s*(?:工作|上班|任职|就职)$"),
        ("works", rf"{_WHO}(?:就职于|任职于|供职于)\s*{_VALUE}"),
        (
            "located",
            rf"^(?P<who>.{{0,12}}(?:公司|办公室|总部|工厂|仓库|会场|学校|门店|店|家))(?:现在|目前)?在\s*{_VALUE}",
        ),
        ("named", rf"{_WHO}(?:名叫|名字叫|叫做|叫)\s*{_VALUE}"),
        ("written", rf"{_WHO}(?:是|is)?\s*用\s*(?P<value>[a-z+#.]{{1,15}})\s*(?:编写|写|开发|实现)\s*的?$"),
        ("hosted", rf"{_WHO}(?:部署|托管|运行)在\s*{_VALUE}"),
        ("uses", rf"{_WHO}使用的(?P<who2>[^的]{{1,6}}?)\s+is\s+{_VALUE}"),
    ),
    open=(
        late_regex(rf"^(?P<who>.{{1,20}}的\s*(?P<head>[^的\s]{{1,8}}))\s*(?:现在|目前)?\s+is\s+{_VALUE}"),
        late_regex(rf"^(?P<who>(?P<head>[^的\s]{{2,10}}))\s*(?:现在|目前)?\s+is\s+{_VALUE}"),
    ),
    sole=late_regex(
        r"最喜欢|最爱|默认|主要?(?:分支|色|键)|首席|唯一|经理|老板|上司|领导|密码|地址|名字|姓名|生日|电话|丈夫|妻子|老公|老婆|颜色|"
        r"国籍|首都|首府|职业|雇主|负责人|校长|班主任|数据库|昵称|邮箱"
    ),
    many=frozenset(("朋友", "同事")),
    lists=frozenset(("表", "单")),
    vague=late_regex(r"(?:很|非常|太|挺|好|最|不|没|一[个名种位]|为了|因为|在|从|对)|.*[的了吗呢]\s*$|.*色的"),
)
_USER, _HE, _SHE = "user", "he", "she"


def _happened(listed: list[str]) -> bool:
    """Return whether a clause tells what happened once: a verb with the mark of what is done."""
    return "过去" in listed


CHINESE: Final = ClauseWords(
    name="zh",
    function=frozenset(),
    side=side,
    negation=_NEGATION,
    split=late_regex(r"[，；;,]|(?:但是|可是|不过|然而|虽然|(?<!不)但)"),
    phrases=_PHRASES,
    filler=frozenset((*_FILL, *_LEXICON)),
    unasserted=_UNASSERTED,
    changes=Changes(
        words=frozenset(("改", "换")),
        replaced=(
            late_regex(
                r"(?:从|由)(?P<old>.{1,40}?)(?:换|改|降|升|涨|调|变|减|增|搬|转|提高|推迟|提前)(?:成|为|到|至|用)(?P<new>.{1,40})$"
            ),
            late_regex(r"(?:把|将)(?P<old>.{1,40}?)(?:换|改|替换|变)(?:成|为|到)(?P<new>.{1,40})$"),
        ),
        instead=late_regex(r"(?:代替|取代|而不是|而非)(.{1,20})$"),
        now=late_regex(r"现在|目前|如今|改为|改到|改成"),
    ),
    tasks=Tasks(
        need=late_regex(r"需要|必须|应该|得去|要去|待办|记得|^(?:我|我们|他|她)?要|(?<![不重主只])要(?=[^求紧点])"),
        done=late_regex(r"已经?|完成|做完|办完|搞定|弄好"),
        ended=late_regex(r"不再|不用|不需要|不必|无需|再也不"),
        dropped=late_regex(r"删除|去掉|划掉|移除"),
        words=frozenset(("完成", "做完", "搞定", "删除", "去掉", "划掉", "移除", "过去")),
    ),
    attributes=_ATTRIBUTES,
    persons={
        **dict.fromkeys(("我", "我们", "咱们", "你", "您", "用户"), _USER),
        "他": _HE,
        "她": _SHE,
    },
    owners={
        **dict.fromkeys(("我的", "我们的", "咱们的", "你的", "您的"), _USER),
        "他的": _HE,
        "她的": _SHE,
    },
    scope=late_regex(r"(?:在|当)([^在当，]{1,8})(?:时|时候|里|上|中)|(早上|晚上|深夜|夜里|中午|周末|夏天|冬天|平时)"),
    added=late_regex(r"[也还](?!是)|另外|此外|另一|以及|同时"),
    event=_happened,
    terms=terms,
    words=words_of,
    sentences=lambda text: [part for piece in re.split(r"(?<=[。！？!?])|\n+", text) if (part := piece.strip())],
    capitals=False,
)
