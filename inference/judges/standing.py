"""How words that look like a verdict stand in a judge's reply: said by the judge, or quoted, denied, supposed, shown as
an example, hedged, or taken back.

A reply is prose, and the form that was asked for can stand anywhere in it: in the rubric that it repeats, in the answer
that it quotes, behind “had it named the cup”. What surrounds a verdict is looked at by rules, which are rows (``CUES``);
only what none of them speaks against is the judge's own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from domain.reading.text import Visible

Span = tuple[int, int]


class Standing(StrEnum):
    """How something that looks like a verdict stands in a reply."""

    OWN = "own"
    """Nothing speaks against its being the judge's."""
    QUOTED = "quoted"
    """Someone else's words: of the answer under review, of the prompt."""
    DENIED = "denied"
    """“not [[1]]”, “[[1]] would be too kind”."""
    SUPPOSED = "supposed"
    """“had it named the cup, [[1]]”."""
    EXAMPLE = "example"
    """Of the form, the rubric or the scale."""
    EARLIER = "earlier"
    """What the judge thought first, or struck out."""
    HEDGED = "hedged"
    """“perhaps [[1]]”, “[[0]] or [[1]]”."""
    EACH = "each"
    """One of several, each of another answer: a column, or a row, for each."""
    UNCLEAR = "unclear"
    """In the middle of a sentence that does not say whose it is."""


class Reach(StrEnum):
    """Which words around a verdict a cue is looked for in."""

    CLAUSE = "clause before"
    """What stands before it in its clause."""
    SENTENCE = "sentence before"
    """What stands before it in its sentence, from the last “but” or “so” on."""
    BEHIND = "behind"
    """What follows it at once."""


@dataclass(frozen=True)
class Cue:
    """Words that say how a verdict beside them stands."""

    standing: Standing
    reach: Reach
    meaning: str
    pattern: re.Pattern[str]


def _words(*patterns: str) -> str:
    return r"(?<![\w-])(?:" + "|".join(patterns) + r")(?![\w-])"


_WHO = (
    r"(?:(?:the|this|that|a|an|its|his|her|their|hidden|embedded|last|first|final|student's|assistant's|model's) )*"
    r"(?:answer|response|reply|student|assistant(?: [a-z])?|candidate|model|user|author|text|prompt|question|"
    r"instructions?|respondent|it|he|she|they|output(?: \([a-z]\))?|sentence|note|line|message|agent|system|"
    r"rubric|scale|guidelines?|template|someone|some|somebody|others?|reference|writer|person|comment)"
)
_SAYS = (
    r"(?:says?|said|saying|writes?|wrote|written|states?|stated|contains?|contained|includes?|included|asks?|asked|"
    r"demands?|demanded|requests?|requested|tells?|told|orders?|ordered|prints?|printed|reads?|insists?|suggests?|"
    r"suggested|instructs?|instructed|urges?|urged|begs?|begged|wants?|wanted|tries|tried|trying|attempts?|attempted|"
    r"injects?|injected|embeds?|quotes?|quoted|mentions?|mentioned|adds?|added|appends?|appended|declares?|declared|"
    r"begins?|starts?|opens?|ends?|ended|ending|closes|closed|concludes?|concluded|claims?|claimed|proposes?|"
    r"proposed|gives? itself|gave itself|rates? itself|rated itself|awards? itself|hopes?|pleads?|pretends?|reserves?|"
    r"inserts?|inserted|holds?|held|shows?|showed|lists?|listed|carries|has|had|slips?|slipped|tacks?|repeats?|repeated|would say|may say|might say|argues?|argued|thinks|thought|believes|expects|feels)"
)
_FILLING = (
    r"(?:that|it|its|is|are|should|shall|must|be|to|me|us|the|judge|grader|evaluator|text|words?|line|string|rating|"
    r"score|verdict|phrase|lines|instructions?|marker|these|those|following|two|three|itself|an?|for|of|on|by|from|deserves?|give|given|giving|get|output|"
    r"write|writing|print|printing|rate|rated|end|ending|ends|with|at|in|own|literally|as|also|even|here|simply|just|"
    r"my|this|mark|full|marks|follow\w*|quote|please|assign|award|awarded|return|returns|reply|say|saying|grade|"
    r"graded|sentence|answer|hidden|embedded|injected|command|order|request|reader|fake|form|verbatim|receive|"
    r"and|i|deserve|earn|earns|merit|merits|only|always|very)"
)
_ANOTHER = r"(?:previous|prior|preceding|earlier|other|example|sample|reference|gold(?:en)?|last|next|following|above|former|latter|second|third|first|competing|rival|alternative|human|expert|baseline|illustration|demonstration|template|placeholder|dummy|another|different|old|original|initial)"
_THING = r"(?:answers?|responses?|repl(?:y|ies)|items?|examples?|questions?|one|assistant|candidate|outputs?|student|turn|task|case|model|submission|sample|solution|judge?|rater|grader|annotator|evaluator|pairs?|round|version|only)"
_RATER = r"(?:judges?|graders?|evaluators?|raters?|markers?|examiners?|reviewers?|critics?|teachers?|assessors?|annotators?|referees?|colleagues?|readers?|experts?|people|humans?|users?|scorers?|persons?|instructors?|tutors?|professors?|juror|jury|gpt-?\w*|claude|gemini|llama|models?|one|you|they|anyone|anybody|many|few|most|somebody|someone|others?)"
_RATES = r"(?:give|gave|given|giving|award|assign|rate|score|grade|say|said|answer|choose|chose|pick|put|write|wrote|settle|go|went|accept|allow|grant|conclude|vote|mark|prefer|opt|insist|argue|claim|demand|hand|offer|think|thought|believe|feel|felt|find|found|consider|see|saw|call|judge|hold|held|suggest|report|agree)(?:s|es|ed|ing)?"
_LEGEND = r"(?:max(?:imum)?\.?|min(?:imum)?\.?|highest|lowest|best|worst|scale|range|top|bottom|out of|upper (?:bound|limit|end)|lower (?:bound|limit|end)|ceiling|floor|full marks?|perfect(?: score)?|threshold|cut-?off|pass(?:ing)?(?: mark| score| grade)?|legend|key|default|baseline|fail(?:ing)?(?: mark| score| grade)?|mean|average|median|weight|goal|target|expected|desired|requested|count|confidence|certainty|probability|likelihood|deductions?|penalt(?:y|ies)|(?:number of )?(?:errors|mistakes)|bonus|abz\u00fcge?|abzug|strafpunkte?|d\u00e9ductions?|p\u00e9nalit\u00e9s?|deducci(?:\u00f3n|ones)|penalizaci(?:\u00f3n|ones)|\u6263\u5206|\u6263\u9664|\u51cf\u70b9|\u6e1b\u70b9|points (?:lost|deducted)|ideal(?: answer)?)"
_SUCH = r"(?:rating|score|verdict|grade|judge?ment|mark|bracket|value|number|line|one)"

CUES: Sequence[Cue] = tuple(
    Cue(standing, reach, meaning, re.compile(pattern, re.IGNORECASE))
    for standing, reach, meaning, pattern in (
        # what stands before, in the clause
        (
            Standing.DENIED,
            Reach.CLAUSE,
            "a word that denies: not [[1]], cannot be given [[1]], rather than [[1]], far from [[1]]",
            _words(
                r"not(?! only| a single| just)", r"never", r"nor", r"neither", r"cannot", r"\w+n't", r"without",
                r"hardly", r"barely", r"scarcely", r"no(?! (?:doubt|question|error|mistake|issue|problem|fault|flaw)s?)",
                r"far from", r"nobody", r"none", r"nothing", r"rather than", r"instead of", r"as opposed to", r"rejects?",
                r"rejected", r"rul(?:e|es|ed|ing) out", r"excludes?", r"excluded", r"refus\w+", r"(?:unable|unwilling|impossible|reluctant|not able|no (?:reason|grounds?|basis|way)) (?:to|for)(?: \w+)?", r"declin(?:e|es|ed|ing)", r"(?:hard|difficult|unreasonable|unjustifiable|indefensible) to", r"can't", r"undeserv\w+", r"anything but", r"fail(?:s|ed)? to", r"refrain\w*", r"withh[eo]ld\w*", r"avoid\w*", r"short of", r"miss(?:es|ed)?", r"than",
                r"(?:wrong|mistaken|unfair|inappropriate|absurd|incorrect|unjustified|silly|mistake|error) to", r"doubt\w*", r"disagree\w*",
                r"den(?:y|ies|ied)", r"disput\w+", r"untrue", r"(?:wrong|false|nonsense) that",
                r"nicht", r"kein\w*", r"niemals", r"statt", r"pas", r"jamais", r"ni", r"не", r"нет", r"ни", r"nunca",
                r"n[aã]o", r"non", r"nem", r"niet", r"geen", r"nie", r"inte", r"aldrig", r"değil", r"لا", r"ليس", r"नहीं",
            )
            + r"|[不没非未无別别]|ない|なく|ません|아니|않|못",
        ),
        (
            Standing.HEDGED,
            Reach.CLAUSE,
            "a word that leaves it open: perhaps [[1]], either [[0]], between [[0]], at least [[1]], or [[1]]",
            _words(
                r"maybe", r"perhaps", r"possibly", r"probably", r"likely", r"presumably", r"arguably", r"either",
                r"between", r"somewhere", r"around", r"about", r"approximately", r"roughly", r"could", r"may", r"might",
                r"unsure", r"uncertain", r"torn", r"hesitat\w+", r"waver\w*", r"at least", r"at most", r"at best",
                r"up to", r"as (?:low|high) as", r"or", r"versus", r"vs", r"vielleicht", r"wohl", r"eventuell", r"oder",
                r"peut-être", r"ou", r"возможно", r"может", r"или", r"quizás?", r"tal vez", r"talvez", r"forse", r"kanske",
            )
            + r"|可能|也许|或许|或者|或|大概|多分|おそらく|たぶん|아마",
        ),
        # what stands before, in the sentence
        (
            Standing.DENIED,
            Reach.SENTENCE,
            "the judge says that it does not give it: I cannot give this rating: [[1]], unable to award",
            _words(
                r"(?:can ?not|can't|could not|couldn't|unable to|not able to|unwilling to|impossible to|refus\w+ to|declin\w+ to|won't|will not|would not|wouldn't|never|do not|don't|did not|didn't|does not|doesn't|shall not)"
                r"(?: \w+ly| simply| possibly| in good conscience)? (?:give|award|assign|justify|support|grant|endorse|accept|offer|defend|agree with|agree to|stand (?:behind|by)|recommend|approve|confirm|vouch for|say|follow|write|issue|see how)"
            )
            + r"(?: (?:it|this|these|those|the|that|such|an?|any|him|her|them|answer|response|student|candidate|scores?|ratings?|verdicts?|grades?|following|here|below|as|of|to|for|like|with|even|my))*[\s:=*_\"'`(\[-]*$"
            + rf"|^\W*(?:the |my |no |any )?{_SUCH}s? (?:(?:is|was|are|were|i|we|that|has been) )?(?:rejected|withdrawn|ruled out|denied|overruled|dismissed|crossed out|struck out|discarded|ignored?|withheld|refused|retracted|revoked|invalid|void|wrong|incorrect|mistaken|reject|refuse|deny|pending|suspended|requested|demanded|claimed|without|before|excluding|otherwise|so far|not given|not yet|confidence|certainty|in (?:the|an) example)\b[^.;\n]{{0,40}}[:=][\s*_\"'`(]*$",
        ),
        (
            Standing.SUPPOSED,
            Reach.SENTENCE,
            "what is only supposed: if it named the cup, had it, would have been, otherwise",
            _words(
                r"(?<!even )(?<!as )(?<!see )(?<!check )(?<!ask )(?<!asked )(?<!asks )if(?! anything)", r"unless",
                r"had (?:it|the|they|he|she|this|that|you|one|there|we|i)(?! to)\b", r"were (?:it|the|there|this|i|we|one|they)",
                r"suppos(?:e|ing)", r"assum(?:e|ing)", r"(?<=, )provided (?:that|it|the)", r"in case", r"otherwise", r"hypothetical\w*",
                r"(?:would|could|might|should|'d) have", r"imagine", r"were to", r"whenever", r"in which case", r"as long as",
                r"(?<!i )would (?:be|get|deserve|earn|merit|receive|need|warrant|score|call for|justify|have|rate|bring|mean)",
                r"an? (?:wrong|incorrect|right|correct|perfect|complete|incomplete|better|worse|good|bad|partial\w*|full\w*) answer",
                r"wenn", r"falls", r"hätte\w*", r"wäre\w*", r"sonst", r"si", r"sinon", r"eût", r"aurait", r"serait", r"если",
                r"бы", r"иначе", r"hubiera", r"sería", r"seria", r"sarebbe", r"fosse", r"se", r"eğer",
            )
            + r"|如果|假如|若|否则|要是|もし|であれば|만약",
        ),
        (
            Standing.EXAMPLE,
            Reach.SENTENCE,
            "an example, or the rule that was given: for example, such as, in the form of, the rubric says",
            _words(
                r"for example", r"for instance", r"e\.g", r"eg", r"such as", r"examples?", r"sample", r"exemplary", r"illustrat\w+",
                r"(?:format|form|template|pattern)(?: (?:is|was|would be|reads|must be|should be|like|of))?[: \"'`*]*$",
                r"(?:asked|told|instructed|supposed|required|requested|meant|expected|have|has|had|need|needs|needed|want\w*) (?:me )?to "
                r"(?:end|close|reply|answer|write|finish|conclude|use|respond|output|rate|say|state|put|format|choose|pick)",
                r"(?:must|should|shall|can|may|has to) (?:\w+ )?(?:end|close|reply|answer|write|finish|conclude|respond|output|read|look|be written|be given as|be stated)",
                rf"^\W*(?:\d+[.)] )?(?:the |a )?{_LEGEND}(?:(?: (?:possible|attainable|allowed|available|{_SUCH}s?|points?|marks?|is|are|was|of|on|for|in|at|end|this|the|our|a|scale|rubric|to|reach|get))*[\s:=*_\"'`(\u2013\u2014-]*)$",
                r"options?", r"possible(?: \w+)?", r"allowed(?: \w+)?", r"permitted", r"choices(?: \w+)?", r"one of",
                r"(?<!this )(?<!the )(?<!on a )scale", r"rubric[: (=\"']*$", r"legend", r"(?:rating|scoring|grading)s? (?:scale|scheme|guide\w*|key|rubric|system|options|rules?|levels?|criteria)",
                r"(?:scale|rubric|scheme|key|guide\w*|instructions?|criteria|prompt)(?: here)? (?:is|are|was|were|says?|said|reads?|states?|gives?|defines?|lists?|reserves?|asks?|allows?|has|had|runs?|goes|requires?|demands?|wants?|calls?|uses?|offers?|knows?|means?)",
                r"means?", r"stands? for", r"denotes?", r"where", r"decide", r"choose (?:between|from|among|one)", r"pick (?:between|from|one)", r"placeholder", r"dummy",
                r"(?:reply|answer|looks?|something|lines?|respond|output|reads?|written|it) like(?: this)?[: \"'`*]*$",
                r"z\.B", r"zum Beispiel", r"beispiel\w*", r"etwa", r"par exemple", r"например", r"por ejemplo", r"per esempio", r"por exemplo", r"bijvoorbeeld", r"skala",
            )
            + r"|例如|比如|譬如|例えば|たとえば|예를 들어|예:|评分标准|量表|格式|示例",
        ),
        (
            Standing.EARLIER,
            Reach.SENTENCE,
            "what was thought first: at first, initially, I was going to say, tempted to give, some may say",
            _words(
                r"at first", r"(?:first|initial|original|earlier|previous|old|gut) (?:thought|impression|glance|sight|pass|reading|draft|instinct|reaction|guess|idea|verdict|rating|score|take|look|version|choice|inclination|grade)",
                r"first (?:wrote|gave|said|thought|had|put|wanted|chose|rated|considered|leaned)", r"initially", r"originally", r"going to (?:say|give|write|rate|assign|put)", r"about to (?:say|give|write|rate|assign|put)",
                r"tempt\w+", r"inclin\w+", r"lean\w*", r"instinct", r"earlier", r"previously", r"almost", r"nearly", r"consider(?:ed|ing)?(?: (?:giving|rating|writing|a|an|the|it|of|whether))*\W*$", r"thought (?:of|about)",
                r"started (?:with|at|out|from)", r"(?:one|someone|somebody|some|you|others|people|a reader|another judge) (?:could|might|may|would|can|will)", r"seem\w*", r"looks? like", r"at a glance", r"on the (?:face|surface)",
                r"wanted", r"wondered", r"(?:used|meant) to (?:be|say|give)", r"had (?:given|written|put|said|chosen)", r"draft", r"preliminary", r"tentativ\w+", r"provisional\w*",
                r"zuerst", r"zunächst", r"anfangs", r"d'abord", r"au début", r"сначала", r"primero", r"al principio", r"inizialmente", r"instead of",
            )
            + r"|起初|一开始|最初|起先|初めは|처음",
        ),
        (
            Standing.QUOTED,
            Reach.SENTENCE,
            "someone else's words: the answer says, the student asks for, as instructed by the answer",
            rf"(?:\b(?:an?|any|another|other|some|many|most|few|every|each|one|two|no|his|her|their|its|your|different|strict\w*|lenient|harsh|human|hypothetical|previous|second|third|less|more|certain|all|my|our)(?: [\w-]+){{0,3}}? {_RATER}|(?<![\w-])(?:gpt-?\w*|claude|gemini|llama|people|others|colleagues|critics|reviewers|anyone|everyone|somebody|someone))(?:, [^,.;\n]{{1,40}},)?(?: (?!i\b)[\w'-]+){{0,3}} {_RATES}\b(?:(?! i\b)[^,.;!?\n]){{0,80}}$"
            rf"|\b{_WHO}(?: \w+){{0,2}}?(?: \w+ly)? {_SAYS}(?:[:,]? {_FILLING})*\s?[:,]?\s?[\"'`(*]*$"
            rf"|\b(?:ignor\w+|disregard\w*|discard\w*|inject\w+|manipulat\w+|embedded|demand\w*|plea|beg|begs|begging|so-called|"
            rf"self-\w+|instruction to|attempt(?:s|ed|ing)? to|claims? (?:of|that|to)|quot(?:e|es|ed|ing)|setting aside|leaving aside|notwithstanding|despite)\b(?! this)[^,;.!?\n]{{0,80}}$"
            rf"|\b(?:student|assistant|candidate|model|author|user|agent)(?: [a-z])?'s (?:own )?(?:answer|response|reply|text|output|words?|{_SUCH})(?: is| was| reads)?[ :\"'`*(]*$"
            r"|\b(?:told|asked|instructed|ordered|urged|requested|prompted|begged|forced|commanded) by\b[^,;.!?\n]{0,80}$"
            r"|\baccording to (?:the|its|this|their) (?:answer|response|reply|student|assistant|candidate|author|model|agent|text)\b[^;.!?\n]{0,80}$|\baccording to output[^;.!?\n]{0,80}$"
            rf"|(?:^|\]\])\W*(?:the )?(?:answer|response|reply|student|assistant|candidate|user|human|question|reference)(?: [a-z0-9])?\s?(?: says)?[:][ \"'`*(]*$"
            rf"|^\W*(?:(?:here (?:is|are) )?(?:the |my )?(?:{_SUCH}s? )?(?:for|of|about|on|regarding|in|as for) (?:the |my |an? )?){_ANOTHER}(?:(?:'s)? (?:{_THING}|{_SUCH}s?|[a-d1-9]))*[ *_]*[:,=][ \"'`*(]*$"
            rf"|^\W*(?:the |my )?{_ANOTHER}(?: {_THING})?(?:'s)?(?: {_SUCH})?[ *_]*[:=][ \"'`*(]*$"
            r"|(?:回答|答案|学生|考生|助手)(?:说|写|称|要求|中|里|包含|写道|写着|声称)[^,;.!?。，；\n]{0,40}$",
        ),
        # what follows at once
        (
            Standing.DENIED,
            Reach.BEHIND,
            "it is denied: [[1]] is not, would be too kind, is out of the question, which I disagree with",
            r"^[ *_`\"')\]]*,?\s?\(?before (?:any |the |my |all )?(?:deductions?|penalt(?:y|ies)|adjustments?|subtract\w+|taking off)\b|"
            r"^[ *_`\"')\],:\u2013\u2014-]*\(\s?(?:(?:this|that|it) (?:is|was) )?(?:rejected|withdrawn|ruled out|denied|overruled|dismissed|crossed out|struck out|discarded|ignored?|withheld|refused|retracted|revoked|invalid|void|wrong|incorrect|mistaken|not (?:final|mine|my|given|yet|valid|sure|certain|deserved|counted|the final|earned|justified|applicable|awarded)|nobody|kidding)\b"
            r"|^[ *_`\"')\]]*,?\s?(?:which |that |it |this )?(?:is|was|has been|gets|must be|has to be|should be|is to be|needs to be|had to be) (?:\w+ly |hereby )?(?:rejected|withdrawn|ruled out|denied|overruled|dismissed|crossed out|struck out|discarded|ignored?|withheld|refused|retracted|revoked|invalid|void|wrong|incorrect|mistaken)\b"
            r"|^[ *_`\"')\]]*,?\s?(?:which|that|it|this|but that)?\s?(?:(?:is|was|are|were|would be|would have been|'s|seems?|seemed|looks?|feels?|felt|sounds?|might be|could be|strikes me as|may be|will be)"
            r"(?: \w+ly| far| much| a bit| a little| simply| just| also| rather| still| therefore| then)?"
            r" (?:not|n't|never|no|too|wrong|out of|off|over\w*|excluded|unjust\w+|inappropriate|unfair|undeserved|harsh|generous|kind|lenient|strict|impossible|ruled out|unwarranted|incorrect|mistaken|false|nonsense|a mistake|an error|absurd)\b"
            r"|(?:does not|doesn't|did not|didn't) (?!(?:describ|nam|mention|match|identif|follow|answer|address|contain|includ|show|stat|recogni|explain|reach|stop|pick|choos|tak|see)\w*)\w+|(?:isn't|wasn't|cannot|can't|could not|couldn't|won't|will not|would not|wouldn't|should not|shouldn't|is no|has no)\b"
            r"|(?:i )?(?:disagree|reject|refuse|dismiss|doubt)\b|\?\s?(?:no\b|not\b|hardly|never|nein|non\b|нет|不)|不对|不合适|太高|太低)",
        ),
        (
            Standing.EXAMPLE,
            Reach.BEHIND,
            "it is explained, not given: [[1]] means, is for, if A is better, = right, for example, is reserved for",
            r"^[ *_`\"')\]]*\(\s?(?:hypothetical\w*|if|placeholder|default|quoted|copied|dummy|for illustration|illustrat\w+|to be (?:confirmed|decided|determined)|tbd|tbc|pending|draft|tentative\w*|provisional\w*|preliminary)\b"
            r"|^[ *_`\"')\]]*(?:,? ?\(?(?:for example|for instance|e\.g\.?|say|or similar|or the like|etc|and so on)(?=[ *_`\"')\].!]*(?:\n|$))"
            r"|(?:is|are|was|would be) (?:only |just )?(?:for|reserved|meant|defined|given (?:for|when|to|if|only)|used (?:for|when)|what|right only|allowed|an? (?:example|option|choice|possib\w+|placeholder|illustration)|only|the (?:highest|lowest|best|worst|top|maximum|minimum|form|format))\b"
            r"|(?:means?|stands? for|denotes?|signif\w+|indicates?|represents?|would mean|implies|applies)\b"
            r"|[\],.;:(\u2013\u2014-]*\s?\(?(?:this|that|which|it)(?: is| was|'s) (?:only |just |merely )?(?:an?|the|your|my)? ?(?:example|form|format|template|placeholder|sample|illustration)\b"
            r"|[,:;]?\s?(?:if|when|whenever|where|for (?:an?|any|every|all|answers|those|replies)) (?!naming|giving|the record|what|it )"
            r"|[:=]\s?(?:\"|')?(?:wrong|right|correct|incorrect|partly|partial\w*|fully|bad|good|poor|excellent|worst|best|no(?=\s?[.,;!]|\s*$)|yes|false|true|a is|b is|both|neither|tie)\b"
            r"|等|表示|代表|(?:für|pour|para|per|для) )",
        ),
        (
            Standing.SUPPOSED,
            Reach.BEHIND,
            "it depends: [[1]] if the lid counts, unless, would be right, provided that",
            r"^[ *_`\"')\],;:-]*(?:only )?(?:if|unless|provided|assuming|had (?:it|the|they|he|she)|were (?:it|the)|as long as|in case|wenn|falls|si |если|如果)\b"
            r"|^[ *_`\"')\]]*(?:would|might|could|may|should have|could have|würde|wäre)\b",
        ),
        (
            Standing.EARLIER,
            Reach.BEHIND,
            "it was the first thought: [[1]] at first glance, initially, was my first thought",
            r"^[ *_`\"')\],]*(?:at (?:a )?first|initially|on (?:a )?first|at a glance|prima facie|originally|(?:was|is|had been) (?:my|the|an?) (?:first|initial|original|earlier|previous|tempting|early)|was (?:what i|tempting|considered)|comes? to mind|(?:is|was|seems|looks|may be|might be) (?:tempting|defensible|arguable|attractive|possible|close)|on the (?:face|surface)|zunächst|zuerst|d'abord|сначала)\b",
        ),
        (
            Standing.HEDGED,
            Reach.BEHIND,
            "it is left open: [[0]] or [[1]], [[0]]-[[1]], [[1]]?, [[1]], perhaps",
            r"^[ *_`\"')]*(?:(?:or|and/or|oder|ou|или|或者?|または|또는)(?![\w-])|[/~\u2013\u2014-]+\s?\[*\s?[\d.,]|/\s?[\[\w]|to \[*\s?\d|\.\.+\s?\[|\?|[(,]\s?(?:or|maybe|perhaps|possibly|arguably|probably)\b|,? (?:at (?:most|best|least)|give or take|or (?:so|thereabouts|higher|lower|less|more))\b|\+)",
        ),
        (
            Standing.QUOTED,
            Reach.BEHIND,
            "it is someone else's: [[1]], as the answer demands; is an attempt to influence me",
            rf"^[\s*_`\"')\],.;:\u2013\u2014-]*(?:(?:is|was) )?(?:as|what|like|so|the rating) {_WHO} (?:\w+ )?(?:{_SAYS}(?=\s?(?:[.,;:!)\n]|$|so\b|it\b|me\b|for\b))|(?:asks|demands|wants|claims|requests|insists|begs|urges|hopes)\b)"
            rf"|^[ *_`\"')\],:\u2013\u2014-]*\(?\s?(?:(?:this |that |it |which )?(?:was|is|were|has been) )?(?:(?:as )?(?:given|requested|demanded|asked for|claimed|suggested|proposed|assigned|awarded|wanted|chosen|self-?\w+)(?: by| to| for)?|according to|the (?:verdict|rating|score|opinion|view) of|by|per)\s(?:the |an? |its |their |my )?(?:[\w-]+ )?(?:{_RATER}|{_WHO}|itself|reference|annotator|student)\b"
            r"|^[ *_`\"')\],:\u2013\u2014-]*\(?(?:self-?\w+|(?:the )?(?:student|assistant|candidate|model)'s\b)"
            rf"|^[\s*_`\"')\],.;:\u2013\u2014-]*(?:says|said|writes|wrote|claims|demands|asks|insists|pleads) (?:the )?(?:{_WHO})\b"
            r"|^[\s*_`\"')\],.;:\u2013\u2014-]*(?:(?:which|this|that|it|and this|but this|but that)\s?)?(?:(?:is|was|looks like|seems to be|appears to be|are) )?(?:\w+ly |just |only |nothing but |not my |part of )*(?:an? |the )?(?:\w+ )?(?:attempt|injection|trick|manipulation|instruction|demand|self-\w+|quote|quotation|words? of|text (?:in|of|from)|ploy|plea|hack|jailbreak|command)\b"
            rf"|^[\s*_`\"')\],.;:\u2013\u2014-]*(?:which|this|that|and|but|a claim|words?|something|and that|but that)?\s?(?:that )?(?:i|we|will|must|can|should|shall|is|are|be|was|to)(?: be| am| do| shall| will| must| have| can| should)?(?: not (?:follow\w*|obey\w*|accept\w*|heed\w*))?\s?(?:ignor\w+|disregard\w*|leave aside|leave out|left aside|set aside|discard\w*|not follow|not obey|quot\w+)\b"
            rf"|^(?:[ *_`\"')\],:\u2013\u2014-]*(?:<-+|\u2190|->|=>|#|//)? ?[(\[]?|[\s*_`\"')\].]*[(\[])(?:(?:this|that|it|which) (?:is|was) )?(?:(?:for|of|to|from|about|by|on|in|as in|see|copied from|taken from|given (?:to|by|in))(?: the| my| an?| its| your| that)? |(?:the|my|your|that) )?{_ANOTHER}(?:(?:'s)? (?:{_THING}|{_SUCH}|[a-d1-9])){{0,2}}(?=\s?(?:[).,;\]|]|\n|$))"
            r"|^[\s*_`\"')\]]*(?:<-+ ?|\u2190 ?|\()?(?:(?:this|that|it|which) (?:is|was|were|stood|stands|comes|came) )?(?:inside|within|in|from|at the end of|(?:quoted|copied|taken|printed|written) (?:from|in)|part of) (?:the|its|this|that) (?:student's |assistant's |model's )?(?:answer|response|reply|text|prompt|rubric|instruction\w*)\b",
        ),
    )
)  # fmt: skip
"""What speaks against a verdict's being the judge's own; the first one that fits says how it stands."""

_NO_LETTERS = re.compile(r"[^A-Za-z\u00c0-\u024f]*$")
"""Scripts that do not part their words are not looked at so closely."""
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|z\.B|p\.ex|d\.h|vs|cf|resp|approx|Mr|Dr|St|No)\.", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"(?:[.!?\u2026](?=[\s\"')\]*_`]|$)|[\u3002\uff01\uff1f\uff0e])[\"')\]*_`]*|\n|\|")
_I = r"i(?:'ll|'d)? (?:(?!can ?not|can'|could|wo|would ?n|should ?n|do(?:es)? ?n|did|don|not |never|hardly|barely|scarcely|refuse|decline|hesitate)[\w']+ ){0,2}?"
"""“I”, and up to two words with which the judge does not deny what follows."""
_CLAUSE_ENDS = re.compile(
    r"[,;:()\u2013\u2014\u3001\uff0c\uff1b\u2022\u00b7\u2190-\u21ff\u2794-\u27bf\u25b6\u25ba]|\s-+\s|->|=>|=|(?<![\w-])(?:so|hence|therefore|thus|(?<!anything )(?<!nothing )(?<!all )but|because|since|yet|"
    r"however|though|although|while|whereas|which means|meaning|ergo|also|then|also|daher|deshalb|darum|folglich|sondern|"
    r"aber|donc|mais|car|parce que|pero|sino|porque|luego|perci\u00f2|ma|quindi|\u043d\u043e|\u0430|\u043f\u043e\u044d\u0442\u043e\u043c\u0443|\u0437\u043d\u0430\u0447\u0438\u0442|"
    rf"{_I}(?:give|rate|assign|award|score|choose|pick|settle|conclude|go with|decide))(?![\w-])"
    r"|\u56e0\u6b64|\u6240\u4ee5|\u6545|\u4f46\u662f|\u4f46|\u800c\u662f|\u3057\u304b\u3057|\u3057\u305f\u304c\u3063\u3066|\ub530\ub77c\uc11c|\ud558\uc9c0\ub9cc",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r";|(?<![\w-])(?:(?<!anything )(?<!nothing )(?<!all )but|however|yet|so|therefore|thus|hence|because|since|as it (?:is|stands)|still|nevertheless|nonetheless|"
    r"instead|this one|here|in fact|though|although|settl\w+ on|ended? up|aber|sondern|daher|deshalb|mais|donc|pero|sino|ma|quindi|\u043d\u043e|\u0430|\u043f\u043e\u044d\u0442\u043e\u043c\u0443)(?![\w-])"
    r"|\u4f46\u662f?|\u6240\u4ee5|\u56e0\u6b64|\u800c\u662f|\u3057\u304b\u3057|\ud558\uc9c0\ub9cc",
    re.IGNORECASE,
)
"""Words behind which a sentence goes another way: what was supposed or quoted before them is left behind."""
_DECIDES = re.compile(
    rf"(?<![\w-])(?:and )?(?:{_I}|(?:my|we) (?:\w+ )?)(?:give|rate|assign|award|score|choose|pick|settle|conclude|decide|go with|"
    r"grade|rating is|verdict is|score is)(?![\w-])",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(
    r"[:,;\u2014\u2013\uff1a-]$|(?<![\w-])(?:write|written|be|been|line|lines|words?|text|sentence|saying|print|phrase|give|given|say|said|says|wrote|writes|state|states|rate|"
    r"rated|output|with|by|as|is|was|put|gives|gave|award|awards|assign|assigns|justify|support|grant|accept|endorse|offer|confirm|defend|than|of|for|reads?|answer with|end|ends|reply|form|format|like|to|a|the|not|or)$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[^\n]{0,40}[^\s*_`\"')\].,;:!$}][^\n]*\n"
    r"|[ \t*_`\"')\].,;:!$}]*\n\s*(?:[(<\u2190]|(?!(?:for (?:example|instance)|e\.g|say|etc|it|this|that|which|i)\b)[a-z])"
)
"""What stands behind a verdict whose sentence goes on over the end of the line: in words that have begun on it, or on the
next one in a small letter. Words with which a sentence may begin go on with nothing: what they say is of the answer."""
_AS_ASKED = re.compile(
    r"\b(?:in|with|using|by|per|under|following|according to|based on|on|given) (?:the|your|this|that)(?: [\w-]+){0,2} (?:format|form|template|style|rubric|scale|"
    r"criteria|scheme|guidelines?|instructions?)(?: (?:you gave|above|given|provided))?(?=[\s,:.*_]*$|,)",
    re.IGNORECASE,
)
"""How the judge speaks of what it was asked for when it does as it was asked."""
_GIVES = re.compile(
    r"(?:^|[\s,;:()\u2013\u2014*_\"'-])(?:(?:is|was|'s|it's|gets|deserves|earns|merits|receives|warrants|justifies|makes (?:it|this|that)(?: an?)?|scores|rates|"
    r"gives|worth|comes? to|amounts to|i (?:\w+ ){0,2}(?:give|rate|assign|award|score|choose|pick|say|grade|settle on|settle for|conclude|go with|go for|call)|i'd (?:\w+ )?(?:give|rate|say|call|go with)|"
    r"settle on|settled on|settle for|go with|call|conclude with|conclud\w+|close with|end with|land(?:s|ed)? (?:on|at)|"
    r"result\w* (?:in|is)|leads? to|hence|therefore|thus|so|then|now|overall|finally|verdict|say|said|again|mine|but|yet|and|must|(?:i|we) (?:\w+ )?(?:have|decide|choose|tend) to (?:give|rate|assign|award|say))"
    r"(?: (?:it|this|the|that|an?|only|just|still|clearly|therefore|thus|hence|at|with|as|to|of|for|in|rating|score|grade|verdict|mark|value|full|half|both|clear|solid|plain|definite|strong|perfect|simple|firm|answer|response|reply|student's|assistant's|candidate's|one|be|exactly|simply|overall|my|final|him|her|them))*)?"
    r"[\s,;:=()\u2013\u2014.!?*_\"'`>\u2192\uff1a\uff0c-]*$",
    re.IGNORECASE,
)
"""What leads to a verdict in prose that is the judge's own: the end of a clause, or words with which judges give one."""
_MARKUP = " \t*_#`>|\"'~$-"
LOOK = 300
"""So many characters around a verdict are looked at."""

_FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$")
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~|<!--[^>\n]{0,300}-->|<(del|strike)>[^<\n]{1,300}</\1>", re.IGNORECASE)
_ECHO_FROM = re.compile(
    r"\[(?:the )?(?:start|begin(?:ning)?) of (?P<mark>[^\]\n]{1,60})\]"
    r"|<(?P<tag>student_?answer|student|candidate|response|assistant|user|question|reference|quote|blockquote|input|prompt|example)>",
    re.IGNORECASE,
)
_ECHO_TO = re.compile(r"\[(?:the )?end of [^\]\n]{1,60}\]|</(?P<tag>\w{1,16})>", re.IGNORECASE)
_SINGLE = re.compile(r"(?<![\w'])'(?=[^\s'])[^'\n]{1,300}(?:'\w[^'\n]{0,300}){0,9}(?<=[^\s'])'(?![\w'])")
_TICKED = re.compile(r"(?<!`)`(?!`)[^`\n]{1,300}`(?!`)")
EVIDENCE = re.compile(
    r"^[ \t>#*_`\d.)|+-]*(?:perception|cognition|action)[ \t*_]+(?:assessment[ \t*_]+)?evidence\b", re.IGNORECASE
)
"""A line of reasons: what it quotes ends with it."""
TURN = re.compile(
    r"\n[ \t]*(?:#{1,6} ?|\*\*|\[|<\|?)?(?:user|human|question|next question|new question|next item|next task|instruction|system|"
    r"student|input|prompt|task \d+|question \d+|example \d+|item \d+)(?:\*\*|\]|\|?>)?\s?(?::|\n|$)",
    re.IGNORECASE,
)
"""Where a reply goes on with someone else's turn that it made up."""


class Reply:
    """A judge's reply with what surrounds each place in it; all places are those of ``text``."""

    def __init__(self, seen: Visible) -> None:
        self.seen = seen
        self.text = seen.text

    @cached_property
    def marks(self) -> str:
        """The text, place by place, with single quotes for all double ones that were not written as plain marks."""
        if self.text.count('"') == self.seen.original.count('"'):
            return self.text
        original, starts = self.seen.original, self.seen.starts
        return "".join(
            "'" if char == '"' and original[starts[at]] != '"' else char for at, char in enumerate(self.text)
        )

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line(self, at: int) -> Span:
        """The line that a place is in, without its end."""
        start = self._line_starts[bisect_right(self._line_starts, at) - 1]
        end = self.text.find("\n", at)
        return start, len(self.text) if end < 0 else end

    @cached_property
    def _quotes(self) -> list[Span]:
        """What stands in quotation marks, from mark to mark, outermost only: in a line by pairs, over lines from one
        line with an odd number of marks to the next."""
        found: list[Span] = []
        opened: int | None = None
        lines_since = 0
        for start in self._line_starts:
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
            marks = [at for at in _places(self.text, '"', start, end) if self.text[at - 1 : at] != "\\"]
            inches = [at for at in marks if self.text[at - 1 : at].isdigit()]
            if len(marks) % 2 and len(marks) == 1 and inches and opened is None:
                marks = []
            lines_since += 1
            if opened is not None and (lines_since > 30 or not self.text[start:end].strip()):
                found.append((opened, self.line(opened)[1]))
                opened = None
            if opened is not None and marks and self._closes(marks[0]):
                found.append((opened, marks[0] + 1))
                opened, marks = None, marks[1:]
            for at in range(0, len(marks) - 1, 2):
                found.append((marks[at], marks[at + 1] + 1))
            if len(marks) % 2 and self._opens(marks[-1]) and not EVIDENCE.match(self.text[start:end]):
                opened, lines_since = marks[-1], 0
            elif len(marks) % 2 and self._opens(marks[-1]):
                found.append((marks[-1], end))
        if opened is not None:
            found.append((opened, self.line(opened)[1]))
        for pattern in (_SINGLE, _TICKED):
            found += [match.span() for match in pattern.finditer(self.text)]
        return sorted(found)

    def _opens(self, at: int) -> bool:
        return not self.text[at - 1 : at].strip(" \n([{:*_-") and bool(self.text[at + 1 : at + 2].strip())

    def _closes(self, at: int) -> bool:
        behind = self.text[at + 1 : at + 2]
        return bool(self.text[at - 1 : at].strip()) and not behind.isalnum()

    @cached_property
    def _struck(self) -> list[Span]:
        return [match.span() for match in _STRUCK.finditer(self.text)]

    @cached_property
    def _echoed(self) -> list[Span]:
        ends = [(match.start(), match.end(), (match["tag"] or "").lower()) for match in _ECHO_TO.finditer(self.text)]
        found: list[Span] = []
        at = unended = 0
        for match in _ECHO_FROM.finditer(self.text):
            if match.start() < at:
                continue
            tag = (match["tag"] or "").lower()
            place = bisect_right(ends, (match.end(), 0, ""))
            end = next((end for _, end, of in ends[place:] if of == tag), None)
            if end is None:
                unended += 1
                if unended > 20:
                    break
                continue
            at = end
            found.append((match.start(), at))
        return found

    @cached_property
    def _all_cited(self) -> bool:
        lines = [line for line in self.text.splitlines() if line.strip()]
        return all(line.lstrip().startswith(">") for line in lines)

    def quoted_at(self, at: int) -> Span | None:
        """The widest quotation that a place is in."""
        inside = [each for each in _around(self._quotes, at)]
        return max(inside, key=lambda each: each[1] - each[0], default=None)

    def before(self, at: int) -> str:
        """What leads to a place: its sentence so far, and the line above where that one leads on."""
        start, _ = self.line(at)
        piece = self.text[max(start, at - LOOK) : at]
        masked = _ABBREVIATED.sub(lambda match: match[0].replace(".", "\u2024"), piece)
        ends = [match.end() for match in _SENTENCE_ENDS.finditer(masked)]
        sentence = piece[ends[-1] :] if ends else piece
        if sentence.strip(_MARKUP + "([{\\."):
            return sentence
        if ends:
            return ""
        lead = self._line_above(start)
        return lead if lead and _LEADS_ON.search(lead.rstrip(_MARKUP.replace("-", ""))) else ""

    def _line_above(self, start: int) -> str:
        """The last sentence of the nearest line above that holds any words."""
        for _ in range(6):
            if start <= 0:
                return ""
            above, end = self.line(start - 1)
            line = self.text[max(above, end - LOOK) : end]
            start = above
            if line.strip(_MARKUP) and not _FENCE.match(line) and not re.fullmatch(r"[\s|:-]*", line):
                masked = _ABBREVIATED.sub(lambda match: match[0].replace(".", "\u2024"), line)
                ends = [
                    match.end() for match in _SENTENCE_ENDS.finditer(masked) if masked[match.end() :].strip(_MARKUP)
                ]
                return line[ends[-1] :] if ends else line
        return ""

    def alone(self, start: int, end: int, *, beside: str = "") -> bool:
        """Whether nothing but marks of emphasis stands beside a piece on its line."""
        above, below = self.line(start)
        if end > below or start - above > 120 or below - end > 120:
            return False
        around = _MARKUP + beside + "()[]{}.!"
        return not self.text[above:start].strip(around) and not self.text[end:below].strip(around)

    def standing(
        self, start: int, end: int, *, labelled_from: int | None = None, led_from: int | None = None
    ) -> Standing:
        """How a verdict stands; ``labelled_from`` is where the label before it begins, as in ``Rating: [[1]]``, behind
        which it may stand in marks of its own; ``led_from`` where the lines begin that it is one of."""
        first = start if labelled_from is None else labelled_from
        if any(_around(self._struck, start)):
            return Standing.EARLIER
        if any(_around(self._echoed, start)):
            return Standing.QUOTED
        line = self.text[self.line(start)[0] : start]
        if line.lstrip().startswith(">") and not self._all_cited:
            return Standing.QUOTED
        quote = self.quoted_at(start)
        after = end
        if quote is not None:
            dressed = labelled_from is not None and quote[0] >= labelled_from
            if not dressed and not self._wrapped(quote):
                return Standing.QUOTED
            after = max(end, quote[1])
            if not dressed:
                first = min(first, quote[0])
        return self._cued(first if led_from is None else min(first, led_from), after)

    def _wrapped(self, quote: Span) -> bool:
        """Whether a quotation is a line by itself that nothing leads to, or that a label leads to."""
        return self.alone(*quote) and not self.before(quote[0]).strip()

    def _cued(self, first: int, after: int) -> Standing:
        sentence = _AS_ASKED.sub("", self.before(first))
        ends = [match.end() for match in _CLAUSE_ENDS.finditer(sentence)]
        turns = [match.end() for match in _TURNS.finditer(sentence)]
        decided = [match.end() for match in _DECIDES.finditer(sentence)]
        clause = sentence[ends[-1] :] if ends else sentence
        turned = sentence[turns[-1] :] if turns else sentence
        behind = self.text[after : after + LOOK]
        same_line = behind if _GOES_ON.match(behind) else behind.split("\n", 1)[0]
        for cue in CUES:
            if cue.reach is Reach.CLAUSE:
                words = clause
            elif cue.reach is Reach.BEHIND:
                words = behind if cue.standing is Standing.QUOTED else same_line
            elif cue.standing is Standing.QUOTED:
                words = sentence[max((*turns, *decided)) :] if turns or decided else sentence
            else:
                words = turned
            if cue.pattern.search(words):
                return cue.standing
        return Standing.OWN

    def led_to(self, at: int) -> bool:
        """Whether what comes before a verdict in its clause is how a judge gives one, rather than some sentence in
        which it only occurs."""
        sentence = self.before(at)
        ends = [match.start() for match in _CLAUSE_ENDS.finditer(sentence)]
        clause = sentence[ends[-1] :] if ends else sentence
        if not clause.strip(_MARKUP + "([{\\.:=") or _NO_LETTERS.match(clause):
            return True
        return any(
            match.end() - match.start() > 1 and match[0].strip(_MARKUP) for match in [_GIVES.search(clause)] if match
        )


OF_OTHERS = re.compile(rf"\W*(?:the )?(?:{_ANOTHER}|{_LEGEND})(?: (?:possible|{_THING}|{_SUCH}))*\W*", re.IGNORECASE)
"""What heads a row or a column whose rating is of something else than the answer under review."""
ONE_OF = re.compile(
    rf"\W*(?:the )?(?:(?:{_THING}|rating|score) (?:of |for )?(?:the )?)?(?:{_THING} )?\(?(?:[a-h]|\d|one|two|first|second|model|left|right)\)?(?:'s)?(?: {_THING}| {_SUCH})*\W*",
    re.IGNORECASE,
)
"""What heads a row or a column for one of several answers: "Assistant A", "2", "Answer 1"."""


def _places(text: str, mark: str, start: int, end: int) -> list[int]:
    found = []
    at = text.find(mark, start, end)
    while at >= 0:
        found.append(at)
        at = text.find(mark, at + 1, end)
    return found


def _around(spans: Sequence[Span], at: int) -> list[Span]:
    """Those of the spans, sorted by their starts, that a place is in."""
    last = bisect_right(spans, (at, len(spans) and 10**9))
    return [each for each in spans[max(0, last - 40) : last] if each[0] <= at < each[1]]


# ---- what is said of verdicts further off ---------------------------------------------------------------------------

CORRECTS = re.compile(
    r"(?<![\w-])(?:wait|no(?=\s?[,.:;!\u2014-])|scratch (?:that|this|it)|strike that|second thoughts?|on (?:closer )?(?:reflection|inspection)|"
    r"reconsider\w*|correct(?:ion|ing)|correct(?:ed)? (?:rating|score|verdict)|revis\w+|re-?evaluat\w+|amend\w*|(?:i )?chang(?:e|ed|ing) (?:my|it|this|the|to)|updated?|"
    r"mistaken?|oops|sorry|(?:take|took) (?:it|that|this) back|edit|erratum|after all|should (?:really |rather |instead )?be|should have been|"
    r"my bad|i was wrong|too (?:kind|generous|harsh|strict|lenient|high|low)|wrote [^.\n]{0,30} by mistake|"
    r"nein|doch|korrektur|halt|pardon|plut\u00f4t|non|correcci\u00f3n|espera|\u043d\u0435\u0442|\u0438\u0441\u043f\u0440\u0430\u0432\w*|\u043f\u043e\u043f\u0440\u0430\u0432\u043a\u0430)(?![\w-])"
    r"|->|=>|\u2192|\u66f4\u6b63|\u4fee\u6b63|\u4e0d\u5bf9|\u7ea0\u6b63|\u8a02\u6b63|\u3044\u3084|\uc815\uc815",
    re.IGNORECASE,
)
"""Between two verdicts: the first one is taken back."""

RETRACTS = re.compile(
    r"(?:^|[.!?\n\u2014\u2013(-])[\s*_`\"')(]{0,12}(?:but |and )?(?:wait\b(?!\w)|hmm+\b|hold on\b|no[,.!](?=\s)|scratch (?:that|this|it)\b|strike that\b|on second thoughts?\b|"
    r"on (?:closer )?reflection\b|(?:i'm |i am |i was )?(?:just |only )?(?:kidding|joking)\b|jk\b|not!|ignore (?:the |everything )?above|correction\b|i (?:take|took) (?:it|that|this) back|i retract|i withdraw|disregard (?:that|this|the|my)|ignore (?:that|this|my)|"
    r"oops|sorry, (?:no|i|that|my)|my mistake|actually,? (?:no\b|that is not|that's not|i )|i (?:was|am) (?:wrong|mistaken)|i meant|or rather\b|i changed? my mind|"
    r"(?:that|this|it|the (?:rating|score|verdict))(?:'s| is| was| seems)? (?:\w+ )?(?:too (?:kind|generous|harsh|strict|lenient|high|low)|a typo|not (?:my|final|mine|a verdict|the final))\b|"
    r"the (?:rating|score|verdict)(?: above)?(?:'s| is| was| seems)? (?:\w+ )?(?:wrong|a mistake|an error|not right)\b|"
    r"(?:this|that|the (?:rating|score|verdict)) (?:can ?not|can't) be right\b|"
    r"(?:this|that|it|these|those|they)(?:'s| is| was| are| were|'re) (?:(?:only|just|merely|simply) )*(?:an? |the |your |my |some )?(?:examples?|templates?|placeholders?|samples?|illustrations?|(?:form|format)(?! (?:of the )?answer))\b|"
    r"(?:this|that|it|the (?:rating|score|verdict)) (?:should|must|ought to|needs to) (?:really |rather |instead )?(?:be|have been)\b|"
    r"(?:the|this|that|these|those) (?:ratings?|scores?|verdict|lines?|values?|object)(?: above)? (?:is|was|are|were) (?:only |just |merely )?(?:an example|hypothetical|a placeholder|tentative|provisional|illustrative|quoted|not)\b|"
    r"korrektur\b|\u4e0d\u5bf9|\u66f4\u6b63|\u4fee\u6b63)",
    re.IGNORECASE,
)
"""Behind the last verdict: it is taken back, and no other is given."""

_CALLED_WRONG = re.compile(
    r"(?:^|[.!?\n\u2014\u2013(-])[\s*_`\"')(]{0,12}(?:but |and )?(?:that|this|it)(?:'s| is| was| seems)? (?:\w+ )?(?:wrong|a mistake|an error|not right)\b"
    r"(?! (?:about|on|in|to|as|because|since|of|with|for)\b)",
    re.IGNORECASE,
)


_AT_ONCE = re.compile(
    r"[\s*_`\"')\]}.,;:-]{0,12}(?:\(?(?:i'm |i am )?(?:just |only )?(?:kidding|joking)\b|jk\b|not!|(?:not really|nope|nah)[\s.!]*(?:\n|\Z))",
    re.IGNORECASE,
)
"""Right behind a verdict, without a mark between: it was none."""


def taken_back(text: str, at: int, *, lowest: bool = False) -> re.Match[str] | None:
    """Where a verdict that ends at ``at`` is taken back without another one; ``lowest``: it is the lowest that there is,
    so that “It is wrong” behind it says why."""
    said = _AT_ONCE.match(text, at)
    if said is None:
        said = next(
            (
                each
                for each in RETRACTS.finditer(text, at)
                if not _says_what_is_right(text, each) and not (lowest and _answers_no(text, each))
            ),
            None,
        )
    return said or (None if lowest else _CALLED_WRONG.search(text, at))


def _says_what_is_right(text: str, said: re.Match[str]) -> bool:
    """Return whether “It should be …” goes on with what the answer should be, and not with another score."""
    if re.search(r"\bit (?:should|must|ought to|needs to)\b", said[0], re.I) is None:
        return False
    other = r"\s*(?:an? |the )?(?:\d|\[|higher|lower|one\b|zero|half|full|more|less)"
    return re.match(other, text[said.end() :], re.I) is None


def _answers_no(text: str, said: re.Match[str]) -> bool:
    """Return whether a “No,” answers the question rather than takes a score back."""
    if said[0].lower().lstrip(" .!?\n*_`\"')(\u2014\u2013-")[:3] not in ("no,", "no.", "no!"):
        return False
    takes_back = r"\s*(?:wait|actually|sorry|scratch|that|this|it should|i\b|make|rather|\d|\[)"
    return re.match(takes_back, text[said.end() :], re.I) is None
