"""Items that answers are made about: options in eight languages, and the sentences that models write around an answer."""

from __future__ import annotations

OPTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "en": (
        ("put the pot on the stove", "keep driving", "open the fridge", "wash the carrot"),
        ("red", "blue", "green", "white"),
        ("kitchen", "living room", "garage", "garden", "hallway"),
        ("Slow down and yield to the pedestrian.", "Turn left.", "Change to the right lane.", "Stop at the line."),
        ("a knife", "a spoon", "a wooden board", "an apple"),
        ("The person picks up the cup", "The person closes the drawer", "The person leaves the room"),
        ("left hand", "right hand", "both hands", "neither hand"),
        ("It is too dark", "The lens is dirty", "The camera moves", "A hand covers the view"),
        ("2", "3", "4", "5"),
        ("vitamin A", "vitamin C", "vitamin D", "vitamin K"),
        ("peel onion", "cut onion", "fry onion", "wash hands", "close fridge", "take pan"),
    ),
    "de": (("Topf auf den Herd stellen", "weiterfahren", "Karotte waschen", "Schublade schließen"), ("rot", "blau", "grün", "weiß")),
    "fr": (("ouvrir le tiroir", "couper la carotte", "fermer le robinet", "sortir de la pièce"), ("rouge", "bleu", "vert", "blanc")),
    "es": (("abrir el cajón", "cortar la zanahoria", "cerrar el grifo", "salir de la cocina"), ("rojo", "azul", "verde", "blanco")),
    "zh": (("打开冰箱", "把锅放在炉子上", "洗胡萝卜", "关上抽屉"), ("红色", "蓝色", "绿色", "白色")),
    "ja": (("冷蔵庫を開ける", "鍋をコンロに置く", "にんじんを洗う", "引き出しを閉める"), ("赤", "青", "緑", "白")),
    "hi": (("फ्रिज खोलें", "बर्तन चूल्हे पर रखें", "गाजर धोएं", "दराज बंद करें"), ("लाल", "नीला", "हरा", "सफेद")),
    "ko": (("냉장고를 연다", "냄비를 불에 올린다", "당근을 씻는다", "서랍을 닫는다"), ("빨간색", "파란색", "초록색", "흰색")),
}  # fmt: skip

REASONS: dict[str, tuple[str, ...]] = {
    "en": (
        "The person is standing at the counter and holds a cloth.",
        "In the last frame the light is on and the door is closed.",
        "Looking at the scene, I can see a table with several objects on it.",
        "The road ahead is clear and the car has the right of way.",
        "From the first-person view, the camera wearer has just finished with the sink.",
    ),
    "de": ("Die Person steht an der Arbeitsplatte.", "Im letzten Bild ist das Licht an."),
    "fr": ("La personne se tient devant le plan de travail.", "Sur la dernière image, la lumière est allumée."),
    "es": ("La persona está de pie junto a la encimera.", "En el último fotograma la luz está encendida."),
    "zh": ("图中的人站在台面前。", "最后一帧里灯是亮的。"),
    "ja": ("人物は調理台の前に立っています。", "最後のフレームでは明かりがついています。"),
    "hi": ("व्यक्ति काउंटर के पास खड़ा है।", "अंतिम फ्रेम में बत्ती जल रही है।"),
    "ko": ("사람이 조리대 앞에 서 있습니다.", "마지막 프레임에서는 불이 켜져 있습니다."),
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")

YES_NO = {
    "en": ("Yes", "No"),
    "de": ("Ja", "Nein"),
    "fr": ("Oui", "Non"),
    "es": ("Sí", "No"),
    "zh": ("是的", "不是"),
    "ja": ("はい", "いいえ"),
    "hi": ("हाँ", "नहीं"),
    "ko": ("네", "아니요"),
}
