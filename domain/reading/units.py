"""Units of measurement: their names and signs, and how many of the first of their kind each has."""

from __future__ import annotations

from fractions import Fraction

UNITS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "time": (
        ("1/1000", "ms", "millisecond milliseconds msec millisekunde millisekunden milliseconde millisecondes milisegundo milisegundos 毫秒 ミリ秒"),
        ("1", "s", "second seconds sec secs sekunde sekunden sek seconde secondes segundo segundos secondo secondi seg seconden sekunda sekundy sekund секунда секунды секунд сек с 秒 秒钟 초 ثانية ثوان ثواني सेकंड सेकेंड saniye"),
        ("60", "min", "minute minutes mins minuten minuto minutos minuti minuut minuta minuty minut минута минуты минут мин 分 分钟 分鐘 分間 분 دقيقة دقائق मिनट dakika"),
        ("3600", "h", "hour hours hr hrs std stunde stunden heure heures hora horas ora ore uur godzina godziny godzin час часа часов 小时 小時 时间 時間 시간 ساعة ساعات घंटा घंटे saat"),
        ("86400", "d", "day days tag tage jour jours día días dia dias giorno giorni dag dagen dzień dni день дня дней 天 日 일 يوم أيام दिन gün"),
        ("604800", "wk", "week weeks woche wochen semaine semaines semana semanas settimana settimane weken tydzień неделя недели 周 週間 주"),
    ),
    "length": (
        ("1/1000", "mm", "millimeter millimeters millimetre millimetres millimètre millimètres milímetro milímetros millimetro millimetri milimetr milimetry milimetrów миллиметр миллиметра миллиметров мм 毫米 ミリ ミリメートル 밀리미터"),
        ("1/100", "cm", "centimeter centimeters centimetre centimetres zentimeter centimètre centimètres centímetro centímetros centimetro centimetri centymetr centymetry centymetrów сантиметр сантиметра сантиметров см 厘米 公分 センチ センチメートル 센티미터 센티 سم سنتيمتر सेमी सेंटीमीटर"),
        ("1/10", "dm", "decimeter decimeters decimetre decimetres dezimeter"),
        ("1", "m", "meter meters metre metres mètre mètres metro metros metri metr metry metrów метр метра метров м 米 公尺 メートル 미터 متر أمتار मीटर"),
        ("1000", "km", "kilometer kilometers kilometre kilometres kilomètre kilomètres kilómetro kilómetros chilometro chilometri quilômetro quilômetros километр километра километров км 公里 千米 キロメートル 킬로미터"),
        ("127/5000", "in", "inch inches zoll pouce pouces pulgada pulgadas pollice pollici polegada polegadas дюйм дюйма дюймов 英寸"),
        ("381/1250", "ft", "foot feet fuß pied pieds pies piedi pés фут фута футов 英尺"),
        ("1143/1250", "yd", "yard yards"),
        ("1609344/1000", "mi", "mile miles meile meilen 英里"),
    ),
    "mass": (
        ("1/1000", "mg", "milligram milligrams milligramm mg 毫克"),
        ("1", "g", "gram grams gramme grammes gramm gr gramo gramos grammo grammi grama gramas gramy gramów грамм грамма граммов г 克 グラム 그램 جرام غرام ग्राम"),
        ("1000", "kg", "kilogram kilograms kilo kilos kilogramm kilogramme kilogrammes kilogramo kilogramos chilogrammo chilogrammi chilo chili quilo quilos quilograma quilogramas kilogramy килограмм килограмма килограммов кг 千克 公斤 キロ キログラム 킬로그램 كيلو كيلوغرام किलो किलोग्राम"),
        ("45359237/100000", "lb", "lbs pound pounds livre livres libra libras libbra libbre фунт 磅"),
        ("45359237/1600000", "oz", "ounce ounces unze unzen once onces onza onzas"),
        ("1000000", "t", "tonne tonnes ton tons tonnen 吨"),
    ),
    "volume": (
        ("1/1000", "ml", "milliliter milliliters millilitre millilitres millilitro millilitri mililitro mililitros mililitr миллилитр миллилитра миллилитров мл 毫升 ミリリットル 밀리리터 مل मिली मिलीलीटर"),
        ("1/100", "cl", "centiliter centiliters centilitre centilitres zentiliter"),
        ("1/10", "dl", "deciliter deciliters decilitre decilitres deziliter"),
        ("1", "l", "L liter liters litre litres litro litros litri litr litry litrów литр литра литров л 升 公升 リットル 리터 لتر लीटर"),
    ),
    "percent": (("1", "%", "percent per-cent pct prozent pourcent porcentaje procent procenten proc процент процента процентов パーセント 퍼센트 بالمئة प्रतिशत"),),
    "temperature": (("1", "°C", "°c celsius ℃ 摄氏度 섭씨"), ),
    "fahrenheit": (("1", "°F", "°f fahrenheit"),),
    "angle": (("1", "°", "degree degrees deg grad degré degrés grado grados gradi graus graden stopni градус градуса градусов 度 도"),),
    "money, $": (("1", "$", "usd dollar dollars us$"),),
    "money, €": (("1", "€", "eur euro euros"),),
    "money, £": (("1", "£", "gbp pound-sterling"),),
    "power": (("1", "W", "watt watts"), ("1000", "kW", "kilowatt kilowatts")),
    "energy": (("1", "kcal", "kilocalorie kilocalories"), ),
    "rate": (("1", "fps", ""), ("1", "Hz", "hertz"), ("1", "km/h", "kmh kph"), ("1", "mph", ""), ("1", "rpm", "")),
}  # fmt: skip
"""The units of each quantity: their size in the first unit, their sign, and their other names."""

_BY_NAME = {
    name: (kind, Fraction(factor), sign)
    for kind, rows in UNITS.items()
    for factor, sign, names in rows
    for name in (sign, *names.split())
}
_BY_LOWER = {name.lower(): unit for name, unit in _BY_NAME.items()}
AMBIGUOUS_SIGNS = {"m": ("time", "length"), "t": ("mass", "volume"), "c": (), "oz": ("mass", "volume")}
"""Signs with two meanings, which are ignored if the other quantity is asked for."""
NO_NAMES = frozenset("in с d 日 时间 時間 ora ore day t 分 度 grad once".split())
"""Names that are also words. They are units only if a sign or the end follows, and the unit fits."""


def unit_of(name: str) -> tuple[str, Fraction, str] | None:
    """Return the quantity of a unit's name or sign, its size in the first unit, and its sign.

    >>> unit_of("Minutes"), unit_of("cups")
    (('time', Fraction(60, 1), 'min'), None)
    """
    if len(name) == 1 and name.isupper():
        return _BY_NAME.get(name)  # "M" and "G" may also mean a million and a billion
    return _BY_NAME.get(name) or _BY_LOWER.get(name.lower().rstrip("."))
