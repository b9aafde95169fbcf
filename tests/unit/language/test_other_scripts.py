"""A name is near where a text writes it in another script, and somebody else's is not found."""

from __future__ import annotations

from time import perf_counter

import pytest

from marskg.language.naming.edges import Verdict
from marskg.language.naming.kindred import kindred_of
from marskg.language.naming.matcher import NameMatcher
from marskg.language.naming.other_scripts import script_keys
from marskg.language.naming.sought import Candidates, like_keys
from marskg.language.naming.spellings import name_form

#: One person each.
SAME = (
    # Arabic
    ("يوسف الخطيب", "Youssef al-Khatib"),
    ("فاطمة الزهراني", "Fatima Alzahrani"),
    ("عبد الرحمن الشمري", "Abdulrahman al-Shammari"),
    ("محمد القحطاني", "Mohammed Al-Qahtani"),
    ("نورة العتيبي", "Noura Al Otaibi"),
    ("خالد بن سعيد", "Khaled bin Said"),
    ("زينب حداد", "Zaynab Haddad"),
    ("جمال عبد الناصر", "Gamal Abdel Nasser"),
    ("هشام بوعزيزي", "Hichem Bouazizi"),
    ("رشيدة منصوري", "Rachida Mansouri"),
    # Persian and Urdu
    ("پروین خسروی", "Parvin Khosravi"),
    ("داریوش کریمی", "Dariush Karimi"),
    ("مهدی قاسمی", "Mehdi Ghasemi"),
    ("چنگیز گلستانی", "Changiz Golestani"),
    ("شهباز قریشی", "Shahbaz Qureshi"),
    # Hebrew
    ("חיים רבינוביץ", "Chaim Rabinovitz"),
    ("יצחק בן דוד", "Yitzhak Ben David"),
    ("שרה גולדברג", "Sarah Goldberg"),
    ("רחל שפירא", "Rachel Shapira"),
    ("מרדכי זילברמן", "Mordechai Zilberman"),
    ("תמר הכהן", "Tamar HaCohen"),
    # Hindi, Marathi
    ("राजेश अग्रवाल", "Rajesh Agarwal"),
    ("प्रियंका देशपांडे", "Priyanka Deshpande"),
    ("लक्ष्मी नारायण", "Laxmi Narayan"),
    ("गुरदीप सिंह", "Gurdeep Singh"),
    ("विकास चौधरी", "Vikas Chaudhary"),
    ("ज्योति कुलकर्णी", "Jyoti Kulkarni"),
    # Bengali, Punjabi, Gujarati
    ("সৌরভ মুখোপাধ্যায়", "Sourav Mukhopadhyay"),
    ("অনিতা চক্রবর্তী", "Anita Chakraborty"),
    ("ਹਰਪ੍ਰੀਤ ਢਿੱਲੋਂ", "Harpreet Dhillon"),
    ("જયેશ પટેલ", "Jayesh Patel"),
    # Tamil, Telugu, Kannada, Malayalam
    ("கார்த்திக் சுப்ரமணியன்", "Karthik Subramanian"),
    ("செல்வி முருகன்", "Selvi Murugan"),
    ("వెంకటేశ్ రెడ్డి", "Venkatesh Reddy"),
    ("ಮಂಜುನಾಥ ಹೆಗಡೆ", "Manjunatha Hegde"),
    ("സുരേഷ് ഗോപിനാഥൻ", "Suresh Gopinathan"),
    # Thai
    ("สมชาย ทองดี", "Somchai Thongdee"),
    ("ประเสริฐ วงศ์สุวรรณ", "Prasert Wongsuwan"),
    ("ศิริพร บุญมี", "Siriporn Boonmee"),
    ("กิตติศักดิ์ จันทร์แก้ว", "Kittisak Jankaew"),
    # Georgian
    ("ნინო ბერიძე", "Nino Beridze"),
    ("გიორგი მაისურაძე", "Giorgi Maisuradze"),
    ("ქეთევან კვარაცხელია", "Ketevan Kvaratskhelia"),
    ("ლევან ჭავჭავაძე", "Levan Chavchavadze"),
    # Armenian
    ("Արամ Խաչատրյան", "Aram Khachatryan"),
    ("Հովհաննես Թումանյան", "Hovhannes Tumanyan"),
    ("Անահիտ Պետրոսյան", "Anahit Petrosian"),
    ("Գայանե Սարգսյան", "Gayane Sargsyan"),
    # Chinese
    ("王晓明", "Wang Xiaoming"),
    ("张伟", "Zhang Wei"),
    ("司马文君", "Sima Wenjun"),
    ("刘雪梅", "Xuemei Liu"),
    ("陈美玲", "Chen Mei-ling"),
    ("上官婉儿", "Shangguan Wan'er"),
    ("周志強", "Zhou Zhi Qiang"),
    # Korean
    ("김민준", "Kim Min-jun"),
    ("박서연", "Park Seo-yeon"),
    ("이지은", "Lee Ji-eun"),
    ("최현우", "Hyunwoo Choi"),
    ("정수빈", "Jung Soobin"),
    ("황보라미", "Hwangbo Rami"),
    ("유재석", "Yoo Jae-suk"),
)
#: Cases of Cyrillic names beside Latin ones, and of Latin ones beside Cyrillic names.
CASES = (
    ("Dmitri Kuznetsov", "Вчера мы видели Дмитрия Кузнецова на рынке."),
    ("Yaroslav Pustovoitov", "Письмо для Ярослава Пустовойтова лежит здесь."),
    ("Pavel Morozov", "Письмо Павлу Морозову передали."),
    ("Oleksiy Kovalchuk", "Бачили Олексія Ковальчука вчора."),
    ("Olga Sidorova", "Подарок Ольге Сидоровой понравился."),
    ("Andrei Dostoevsky", "Книга Андрея Достоевского."),
    ("Богољуб Арсић", "Jučer smo sreli Bogoljuba Arsića na pijaci."),
    ("Милан Јовановић", "Razgovarali smo sa Milanom Jovanovićem."),
    ("Петар Петровић", "Pismo Petra Petrovića je stiglo."),
)
#: Two people each.
DIFFERENT = (
    ("حسن ناصر", "Hussein Nasser"),
    ("حسين ناصر", "Hassan Nasser"),
    ("جميل الخطيب", "Jamal al-Khatib"),
    ("أمير حداد", "Omar Haddad"),
    ("فاطمة الزهراني", "Farida Alzahrani"),
    ("محمد القحطاني", "Mohammed al-Qasimi"),
    ("محمد القحطاني", "Mahmoud al-Qahtani"),
    ("زينب حداد", "Zaynab Hamdan"),
    ("سالم العتيبي", "Salma Al Otaibi"),
    ("پروین خسروی", "Parviz Khosravi"),
    ("مهدی قاسمی", "Mehdi Karimi"),
    ("חיים רבינוביץ", "Chana Rabinovitz"),
    ("שרה גולדברג", "Sarah Goldstein"),
    ("רחל שפירא", "Michal Shapira"),
    ("יצחק אברהם", "Yaakov Avraham"),
    ("דוד כהן", "Dina Cohen"),
    ("राजेश अग्रवाल", "Ramesh Agarwal"),
    ("प्रियंका देशपांडे", "Prerna Deshpande"),
    ("सुमित शर्मा", "Samta Sharma"),
    ("गुरदीप सिंह", "Gurpreet Singh"),
    ("विकास चौधरी", "Vikas Chaturvedi"),
    ("সৌরভ মুখোপাধ্যায়", "Sourav Chattopadhyay"),
    ("অনিতা চক্রবর্তী", "Amita Chakraborty"),
    ("ਹਰਪ੍ਰੀਤ ਢਿੱਲੋਂ", "Harjit Dhillon"),
    ("જયેશ પટેલ", "Jignesh Patel"),
    ("கார்த்திக் சுப்ரமணியன்", "Karthik Subbaraj"),
    ("వెంకటేశ్ రెడ్డి", "Venkata Reddy"),
    ("สมชาย ทองดี", "Somsak Thongdee"),
    ("ประเสริฐ วงศ์สุวรรณ", "Prasit Wongsuwan"),
    ("ศิริพร บุญมี", "Siriwan Boonmee"),
    ("ნინო ბერიძე", "Nana Beridze"),
    ("გიორგი მაისურაძე", "Giorgi Beridze"),
    ("ლევან ჭავჭავაძე", "Lasha Chavchavadze"),
    ("Արամ Խաչատրյան", "Armen Khachatryan"),
    ("Անահիտ Պետրոսյան", "Anahit Poghosyan"),
    ("Գայանե Սարգսյան", "Gohar Sargsyan"),
    ("王晓明", "Wang Xiaoling"),
    ("王晓明", "Huang Xiaoming"),
    ("张伟", "Zhang Wen"),
    ("司马文君", "Sima Wenjing"),
    ("刘雪梅", "Liu Xuehua"),
    ("陈美玲", "Chen Meilan"),
    ("김민준", "Kim Min-seo"),
    ("김민준", "Kang Min-jun"),
    ("박서연", "Park Seo-jin"),
    ("이지은", "Lee Ji-hoon"),
    ("최현우", "Choi Hyun-ah"),
    ("정수빈", "Jung Soo-min"),
    # A single name is not compared, and neither is a word of several.
    ("ليلى", "Layla"),
    ("王晓明", "Xiaoming"),
    ("ნინო", "Nino Rota"),
    ("Dmitri Kuznetsov", "Дениса Кузнецова"),
    ("Dmitri Kuznetsov", "Дмитрия Кузьмина"),
    ("Богољуб Арсић", "Bogdana Arsića"),
    ("Милан Јовановић", "Milanom Jovićem"),
)
BESIDE = {True: "We met {} at the market.", False: "abc 123: {}."}


def both(pairs: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [one for pair in pairs for one in (pair, pair[::-1])]


def found(name: str, text: str) -> Verdict:
    return NameMatcher((name,), person=True).read(text).verdict


def sought(name: str, text: str) -> bool:
    candidates = Candidates(text)
    return any(key.text in candidates.of(key.sort, key.length) for key in like_keys(name))


@pytest.mark.parametrize(("name", "other"), both(SAME))
def test_one_name_in_two_scripts_is_near(name: str, other: str) -> None:
    text = BESIDE[other.isascii()].format(other)
    assert found(name, text) is Verdict.NEAR
    assert sought(name, text)


@pytest.mark.parametrize(("name", "text"), CASES)
def test_a_case_in_another_script_is_near(name: str, text: str) -> None:
    assert found(name, text) is Verdict.NEAR
    assert sought(name, text)


@pytest.mark.parametrize(("name", "other"), both(DIFFERENT))
def test_somebody_else_is_not_found(name: str, other: str) -> None:
    assert found(name, BESIDE[other.isascii()].format(other)) is Verdict.NONE


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Yousef al-Khatib", "قال أحمد إن كتاب الرياضيات ليوسف الخطيب موجود هنا."),
        ("Sarah Goldberg", "אתמול דיברנו עם הגברת ושרה גולדברג אמרה שלום"),
        ("Nino Beridze", "გუშინ ნინო ბერიძის წიგნი ვნახე"),
        ("Aram Khachatryan", "Երեկ տեսանք Արամ Խաչատրյանին շուկայում"),
        ("Wang Xiaoming", "昨天我们和王晓明一起去了市场。"),
        ("Kim Min-jun", "어제 김민준이 시장에 갔다."),
        ("Namgung Mina", "어제 남궁 미나가 시장에 갔다."),
        ("Somchai Thongdee", "เมื่อวานคุณสมชาย ทองดีไปตลาด"),
        ("ليلى منصور", "LAYLA MANSOUR called."),
        ("王晓明", "yesterday wang xiaoming called"),
        ("שרה גולדברג", "Sarah Goldberg's book"),
        ("فاطمة منصوري", "Mansouri, Fatima: paid"),
    ],
)
def test_a_name_is_found_where_words_stand_around_it(name: str, text: str) -> None:
    assert found(name, text) is Verdict.NEAR
    assert sought(name, text)


@pytest.mark.parametrize("name", ["Layla", "ليلى", "王芳 2", "nora@fjord.no", "李安", "علي", "Q 12", "ليلى Layla"])
def test_what_is_no_whole_name_has_no_keys(name: str) -> None:
    assert not script_keys(name_form(name))


def test_a_text_in_the_script_of_the_name_is_not_looked_at() -> None:
    kindred_of.cache_clear()
    NameMatcher(("Zqorvin Thelmquist",)).read("Nora Berg met Carl Ode in Linz.")
    NameMatcher(("王晓明",)).read("昨天我们去了市场。")
    assert kindred_of.cache_info().misses == 0


@pytest.mark.parametrize(
    "line", ["Nora Berg Carl Ode ", "محمد القحطاني خالد ", "张伟王晓明", "สมชาย ทองดี", "김민준이 ", "ก", "وو"]
)
def test_a_long_text_costs_no_more_than_its_length(line: str) -> None:
    def cost(times: int) -> float:
        matchers = [NameMatcher((name,)) for name in ("ليلى البرغوثي", "Layla al-Barghouti", "Kim Min-jun")]
        started = perf_counter()
        for matcher in matchers:
            matcher.read(line * times)
        return perf_counter() - started

    cost(10)
    assert cost(4_000) < 12 * cost(1_000) + 0.5
