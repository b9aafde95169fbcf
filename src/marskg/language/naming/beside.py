"""What surely stands beside a name in scripts without blanks: titles, particles, verbs, times.

Guarantees: closed lists. A letter of the same script beside a name ends it only where one of these words begins or ends
there; what is on no list may go on with the name, and a person decides. A word whose first letter also goes on with
given names is listed with what makes it a word (来了, not 来). Sources: frequent words of the languages, as grammars
and primers list them; given names of more letters, which bound the lists.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from marskg.language.naming.words import words_of
from marskg.late_regex import late_regex


def _any(*lists: str) -> str:
    """Return the alternatives of lists that are written as texts, longest first, in the form that is compared."""
    found = {unicodedata.normalize("NFKC", word) for words in lists for word in words_of(words)}
    return "|".join(sorted(found, key=lambda word: (-len(word), word)))


# --- Han ------------------------------------------------------------------------------------------------------------

_HAN_TITLES: Final = (
    "先生 女士 小姐 老师 老師 医生 醫生 教授 同学 同學 经理 經理 总监 主任 律师 律師 同志 太太 夫人 博士 "
    "护士 校长 院长 局长 部长 市长 总统 主席 阿姨 "
    "叔叔 奶奶 爷爷 妈妈 爸爸 姐姐 哥哥 弟弟 妹妹 老板 老闆 师傅 本人 自己 様 氏 社長 部長 課長 選手 医師"
)
_HAN_TIMES: Final = (
    "今天 昨天 明天 前天 后天 昨晚 今晚 今早 早上 上午 中午 下午 晚上 现在 現在 刚刚 刚才 剛剛 最近 每天 "
    "每周 每年 去年 今年 明年 上周 下周 上个月 "
    "下个月 以前 以后 之前 之后 曾经 曾在 昨日 先日 本日"
)
_HAN_FUNCTION: Final = (
    "的 在 没 沒 很 还 還 说 說 把 被 给 給 从 從 对 對 跟 去 买 買 卖 賣 吃 喝 叫 做 订 訂 请 請 吗 嗎 呢 吧 "
    "这 這 我 你 他 她 您 都是 都有 都在 都喜欢 也是 也有 也在 也喜欢 也想 也不 也很 也会 也要 也来 也去 "
    "又来 又去 又买 又说 要去 要买 要在 要吃 要学 要来 要求 已经 已經 已在 已被 已收 最喜欢 最爱 比我 比你 "
    "比他 比她 比较 住在 住院 住了 正在 将会 将于 将在 就是 就在 就会 就要 可以 能够 应该 必须 一直 一起 "
    "经常 常常 总是 因为 因此 如果 虽然 但是 所以 以及 或者 等人 同时 家里 家的 家住"
)
#: Words that begin given names as well: 是清, 不二夫, 了, 到, 今日子, 明日香; 春来 ends with one.
_HAN_UNLESS: Final = (
    r"是(?![清則真\u3041-\u309f])|不(?![二\u3041-\u309f])|了(?!\w)|到(?![\u3041-\u309f])|今日(?!子)|"
    "明日(?![香菜花子])|希望(?=[我你他她能在有得])|(?<![春福东東喜运運凤鳳雨燕雁金宝寶财財])[来來][了到自过過]"
)
_HAN_VERBS: Final = (
    "喜欢 喜歡 想要 想去 想买 想吃 想知道 想在 想把 想看 想学 有一 有两 有三 有个 有很多 有没有 有时 有过 "
    "有些 问了 问我 "
    "问他 见了 见到 见过 看了 看到 看见 会来 会去 会说 会在 会做 会用 会讲 爱吃 爱喝 爱看 爱上 讨厌 需要 "
    "认为 觉得 知道 告诉 告訴 介绍 打算 决定 "
    "开始 工作 学习 毕业 出生 出院 生病 生活 结婚 离婚 去世 搬家 搬到 搬去 下了 下单 购买 收到 打电话 打電話 打了 "
    "发来 发了 发给 写了 写信 负责 参加 加入 离开 "
    "回家 回到 回来 回国 上班 下班 辞职 请假 过敏 過敏 患有 拥有 养了 让我 让你 让他 让她 向我 向你 向他 "
    "向她 使用 用了 同意 付了 付款 为什么"
)
#: *And* goes on with given names (李永和); with one who is surely another after it, it is a word.
_HAN_AND: Final = (
    "[和与與](?:[我你他她您李刘劉陈陳赵趙吴吳徐孙孫郭罗羅郑鄭谢謝韩韓冯馮邓鄧曹]|"
    r"同事|朋友|丈夫|妻子|家人|孩子|[^\W\u3400-\u9fff])"
)
#: 君 ends given names in Chinese (李昭君); before Hiragana it is the Japanese form of address.
AFTER_HAN: Final = late_regex(
    f"{_any(_HAN_TITLES, _HAN_TIMES, _HAN_FUNCTION, _HAN_VERBS)}|{_HAN_UNLESS}|{_HAN_AND}|[君殿](?=[\u3041-\u309f])"
)
#: Whom something is done to, who is introduced, and what somebody is to another: they end right before people.
_HAN_PEOPLE: Final = (
    "给 給 跟 找 请 叫 陪 这位 那位 一位 朋友 同事 丈夫 妻子 老师 老師 医生 女儿 儿子 妈妈 爸爸 客户 顾客 "
    "患者 病人 员工 用户 同学 经理 邻居 告诉 告訴 认识 遇到 见到 見到 听说 联系 通知 邀请"
)
_HAN_OTHERS: Final = (
    "今日 明日 的 了 是 把 被 让 对 帮 我 你 他 她 我们 他们 她们 你们 我們 他們 喜欢 喜歡 看到 因为 如果 "
    "但是 所以 而且 关于 通过 感谢 介绍 帮助 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日"
)
#: Words that end right before a name of any sort.
BEFORE_HAN: Final = late_regex(f"(?:{_any(_HAN_TIMES, _HAN_PEOPLE, _HAN_OTHERS)})\\Z")
#: Words that are family names, or end them, as well: they end right before a name that begins with a family name.
BEFORE_HAN_FAMILY: Final = late_regex(r"[和与與向从為为见在说說到去问問对對請讓替送]\Z")
#: What a word before a name and the name's first letter make together: 为何平时 is *why … usually*, and nobody's name.
HAN_JOINED: Final = words_of(
    "为何 為何 是何 从何 与何 到何 在何 对何 去何 给何 的何 对方 對方 对于 對于 在于 见于 给于 是于 去于 "
    "到于 给付 到付 到任 说白 对白 从严 见方 到时 "
    "和田 与田 與田 向田 給田"
)

#: What stands beside people: a title or a verb after them, whom something is done to before them.
AFTER_HAN_PEOPLE: Final = late_regex(
    f"{_any(_HAN_TITLES, _HAN_VERBS, '说 說 去 买 買 卖 賣 吃 喝 叫 做 订 訂')}|{_HAN_AND}"
)
BEFORE_HAN_PEOPLE: Final = late_regex(f"(?:{_any(_HAN_PEOPLE)})\\Z")
#: Letters that given names and Japanese family names are made of: what has one and no family name may be a name.
HAN_GIVEN: Final = frozenset(
    "伟偉芳娜敏静靜丽麗强強磊军軍洋勇艳艷杰傑娟涛濤明超秀英华華玉兰蘭红紅建国國志文平刚剛桂霞鹏鵬飞飛健俊峰鑫龙龍浩宇"
    "轩軒梓涵欣怡佳琪琳雪梅莉婷倩颖穎慧美云雲燕春花凤鳳珍珠贞貞淑惠晓曉东東海波斌彬宁寧安康辉輝亮光荣榮德仁义義礼禮信"
    "忠孝诚誠永振祥福禄寿贵貴财財宝寶根生发發旺小阿老大田山川村井木本野原島崎藤橋沢谷口中松竹石森池西東北南上下佐伊加"
    "渡高"
)

# --- Hiragana -------------------------------------------------------------------------------------------------------

#: A particle of one letter also ends names (ももか, ゆきの, はると): no Hiragana or title may follow it; と is none.
AFTER_HIRAGANA: Final = late_regex(
    "さん|ちゃん|くん|さま|から|まで|より|だけ|って|です|"
    "(?:[はがをにの]|には|にも)(?=[\u3400-\u9fff\u30a1-\u30fa])(?!君|様|先生|殿|氏|選手)"
)
#: What people are addressed by after a name in Kana.
TITLES_AFTER_KANA: Final = late_regex("様|氏|君|殿|先生|選手|社長|部長|課長|医師|教授|本人|達")
#: What given names in Hiragana begin with that is a particle as well, after a family name in Han letters.
GIVEN_HIRAGANA: Final = late_regex(
    "(?:はる|はな|はづ|はつ|のぞ|のり|のぶ|のあ|もも|もえ|とも|とし|やよ|やす|かお|かず|かな|かえ|かほ|かれ|にこ|にな|がく)(?!り|る)"
    "|(?![はがをにのともでへやか])(?!さん|ちゃん|くん|さま|から|まで|より|だ|って|です|じゃ|なら|など|ら|たち|っ|し)"
    "[ぁ-ゖ]{2,4}(?:さん|ちゃん|くん|さま|先生|が|は|を|に|の|と|も)"
)
#: Those that begin no name, and the others after a time or one who speaks.
BEFORE_HIRAGANA: Final = late_regex(r"(?:[をがへで]|(?:今日|昨日|明日|先日|今朝|私|僕|彼|彼女)は)\Z")

# --- Thai, Lao, Khmer, Burmese --------------------------------------------------------------------------------------

_LETTER: Final = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f]"
_SURE: Final = _any(
    "ซื้อ ชอบ เป็น ไม่ ได้ ต้องการ อยู่ กำลัง และ กับ หรือ จะ ที่ ของ แล้ว บอก พูด ทำ กิน ดื่ม เคย แพ้ ถูก "
    "ให้ ว่า ขาย ย้าย เรียน "
    "โทร ส่ง สั่ง อยาก ครับ ค่ะ ก็ "
    "เข้า ออก ใช้ รู้ เห็น เมื่อ วันนี้ พรุ่งนี้ จาก โดย เพราะ",
    "ຊື້ ມັກ ເປັນ ບໍ່ ແລະ ກັບ ຢູ່ ຂອງ ໄດ້ ຈະ ກິນ ດື່ມ ເວົ້າ ວ່າ ທີ່",
    "បាន ចង់ ចូលចិត្ត ទិញ និង នឹង មិន ញ៉ាំ ធ្វើ និយាយ ប្រាប់ របស់ ដែល កំពុង រស់នៅ លក់ ផឹក",
    "လာတယ် လာသည် လာမယ် လာခဲ့ သွားတယ် သွားသည် သွားမယ် သွားခဲ့ ဝယ်တယ် ဝယ်ခဲ့ ကြိုက်တယ် နေတယ် ပြောတယ် စားတယ် နဲ့ နှင့် သည် ရဲ့",
)
#: Words that begin names' ends as well (มา, and มาศ): where they are the last of the letters.
_LAST: Final = _any("มา ไป มี คือ คะ", "ມາ ໄປ ມີ", "មក ទៅ ជា មាន នៅ", "က ဟာ")
AFTER_SOUTHEAST: Final = late_regex(f"(?:{_SURE})|(?:{_LAST})(?:(?!{_LETTER})|(?={_SURE}))")
_BEFORE: Final = _any(
    "คุณ นาย นาง นางสาว พี่ น้อง ป้า ลุง อาจารย์ ครู หมอ กับ และ ของ ที่ ให้ พบ เจอ บอก ถาม โทรหา เป็น ว่า "
    "เพื่อน ชื่อ เมื่อวาน "
    "วันนี้ หรือ จาก",
    "ທ້າວ ນາງ ທ່ານ ອ້າຍ ເອື້ອຍ ກັບ ແລະ ຂອງ",
    "លោក លោកស្រី អ្នកស្រី កញ្ញា និង ជាមួយ ឈ្មោះ របស់ ជួប ប្រាប់",
    "ဒေါ် ဆရာ ဆရာမ ဒေါက်တာ",
)
#: Titles that stand inside names as well (Min Ko Naing): where they are the first of the letters.
_FIRST: Final = _any("ဦး ကို မ", "បង អ្នក")
BEFORE_SOUTHEAST: Final = late_regex(rf"(?:{_BEFORE}|(?<!{_LETTER})(?:{_FIRST}))\Z")
#: Letters that the longest of the words before a name has at most.
LONGEST: Final = 12
