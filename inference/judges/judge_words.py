"""The words that judges' replies are read by: names of a score, words that begin a reason, names of the side that loses.

Every table is data: a row more is a way more. Words that call an answer right or wrong are in
``domain.reading.verdict_words``. Patterns are for folded text, without capturing groups.
"""

from __future__ import annotations

SCORE_NAMES = (
    r"ratings?|scores?|verdict|grade|judge?ment|marks?|decision|evaluation|assessment|result|conclusion|winner|choice|pick|final answer|my answer|"
    r"bewertung|wertung|urteil|punktzahl|punkte|ergebnis|endnote|note|évaluation|evaluation|notation|puntuación|puntuacion|calificación|calificacion|"
    r"valoración|valoracion|veredicto|nota|avaliação|avaliacao|pontuação|pontuacao|valutazione|voto|punteggio|giudizio|verdetto|ocena|wynik|"
    r"beoordeling|oordeel|betyg|karakter|puan|değerlendirme|hodnocení|оценка|рейтинг|вердикт|балл|итог|решение|вывод|оцінка|التقييم|الدرجة|النتيجة|"
    r"रेटिंग|स्कोर|मूल्यांकन|đánh giá|điểm|penilaian|skor"
)
"""The words of judges for their scores, in languages that separate words by blanks."""
SCORE_NAMES_EAST = r"评分|評分|评级|評級|得分|分数|分數|点数|评价|評価|评估|结论|結論|判定|判断|判決|评定|裁决|裁定|結果|结果|答案|評点|スコア|採点|レーティング|평점|평가|점수|판정|결론|등급"
"""The same in languages written without them."""

BECAUSE = r"because|since|as|for|given|due to|weil|denn|da|car|parce que|puisque|porque|ya que|pues"
"""Words that begin a reason, before a blank."""
BECAUSE_EAST = r"因为|因為|由于|なぜなら"
"""The same where no blank follows."""

LOSER_NAMES = (
    r"loser|losing|worse|worst|weaker|weakest|poorer|inferior|rejected|defeated|verlierer\w{0,2}|schlechter\w{0,2}|schwächer\w{0,2}|unterlegen\w{0,2}|"
    r"perdante?|pire|perdedora?|peor|perdente|peggiore|pior|verliezer|slechter\w{0,2}|败者|敗者|输家|(?:较|較|更)差的?|劣る方|悪い方|हारा|хуже|패자"
)
"""Words for the worse of two answers before a colon."""
LOSES = (
    rf"(?:{LOSER_NAMES}|losers?|reject|disqualified|excluded|poorest|lesser|dispreferred|discarded|eliminated|runner-up|second[- ]best|second place|"
    r"last place|bottom|not (?:chosen|preferred|selected|the winner)|(?:less|least) (?:\w+)|lower(?:[- ]quality| quality|[- ]ranked| rated|[- ]scoring)?|lowest(?:[- ]ranked)?|"
    r"verlierer\w*|schlechter\w*|schwächer\w*|unterlegen\w*|moins bonn?e?|"
    r"(?:one|answer|response|output|assistant|model|option|candidate|side) (?:that|which|who) (?:clearly |really |also )?(?:fail(?:s|ed)|loses|lost|falls short|underperforms|performs worse|did worse|does worse|"
    r"(?:is|was) (?:clearly |the |far |much )*(?:worse|worst|weaker|weakest|poorer|inferior|wrong|incorrect|bad|not better|not preferred|beaten)|(?:does not|doesn't|should not|shouldn't|cannot) (?:win|succeed|answer|follow|work|hold up)[\w ]{0,30}?)|"
    r"fail(?:s|ed|ing|ure)?|beaten|"
    r"(?:antwort|seite), die (?:verliert|schlechter ist)|verliert|verloren|unterliegt|celle qui (?:perd|échoue)|perd|échoue|perdu|la que (?:pierde|falla)|pierde|falla|perde|przegrany|gorsz[aey]|"
    r"проигравший|проиграл|진 쪽|더 나쁜(?: 쪽|\s?답변)?|الخاسر|الأسوأ|"
    r"हारने वाला|हारा हुआ|पराजित|बदतर|खराब|कमजोर|"
    r"失败者|較差的?|(?:较|較|更)?差的?(?:回答|答案)?|更差的?|劣る方?|悪い方)"
)
"""Words that declare an answer the worse of two."""

SUM_WORDS = (
    r"minus|plus|less|times|multiplied by|divided by|reduced by|lowered by|raised by|increased by|decreased by|moins|menos|weniger|más|"
    r"减去?|加上?|乘以?|引く|足す"
)
"""Words of arithmetic between two numbers."""
SUM_WORDS_OR_OTHERS = r"mal|geteilt durch|mais|por|除以|かける|割る"
"""The same where a number follows; elsewhere they may be other words ("mal" is Spanish for bad)."""
