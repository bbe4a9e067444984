// The names and noun phrases of a text, without a model: runs of content words between function words.

/**
 * Words that start no entity: function words, auxiliaries, the verbs, adverbs and adjectives of everyday talk,
 * and what people say to keep a conversation going.
 */
const STOP_WORDS = new Set(
  `a an the this that these those some any no each every all both either neither another other such same own
  i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours
  ourselves they them their theirs themselves who whom whose which what when where why how whatever whoever
  someone something anyone anything everyone everything nobody nothing none one ones
  and or but nor so yet for of in on at by to from with without about into onto over under up down out off through
  during before after above below between among against across along around behind beside besides beyond near since
  until till while as than then though although because if unless whether like per via upon toward towards
  am is are was were be been being have has had having do does did done doing will would shall should can could may
  might must ought dare need let lets i'm i've i'd i'll you're you've you'd you'll he's she's it's we're we've we'd
  we'll they're they've they'd they'll that's there's here's what's who's how's let's isn't aren't wasn't weren't
  don't doesn't didn't won't wouldn't can't couldn't shouldn't haven't hasn't hadn't ain't gonna wanna gotta
  not never ever always often sometimes usually rarely seldom already still just only even also too very really
  quite pretty rather so much many more most less least few little lot lots bit kind sort enough almost nearly
  maybe perhaps probably definitely certainly absolutely totally actually basically literally simply especially
  again once twice soon later now then today tonight here there everywhere anywhere away back together ago else
  well anyway instead however therefore thus hence well yeah yes yep no nope ok okay oh wow hey hi hello thanks thank
  please sorry bye haha lol hmm um uh sure right true glad happy great good nice awesome amazing cool wonderful
  fantastic lovely best better bad worse worst fine big small new old long short high low first last next few several
  able different sure hard easy ready free whole real
  get gets got gotten getting go goes went gone going come comes came coming make makes made making take takes took
  taken taking give gives gave given giving say says said saying tell tells told telling know knows knew known
  knowing think thinks thought thinking see sees saw seen seeing look looks looked looking feel feels felt feeling
  want wants wanted wanting need needs needed needing try tries tried trying use uses used using find finds found
  finding keep keeps kept keeping put puts putting let lets start starts started starting stop stops stopped begin
  began help helps helped helping mean means meant seem seems seemed sound sounds sounded hope hopes hoped hoping
  wish wishes wait waiting remember remembered forget forgot happen happens happened talk talked talking ask asked
  asking hear heard hearing show showed showing shown share shared sharing bring brings brought love loves loved
  loving like likes liked enjoy enjoys enjoyed enjoying prefer prefers preferred hate hates hated recommend suggest
  suggested become became turn turned turning work works worked leave left set sets meet met run ran call called
  thing things stuff way ways time times day days week weeks month months year years lot people guy guys man
  someone's anyone's kinda sorta though`.split(/\s+/),
);

/** More words than this are a clause, not a name. */
const LONGEST_PHRASE = 3;
const SHORTEST_WORD = 2;
const WORDS = /[\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\s]/gu;
const WORD = /^[\p{L}\p{N}]/u;

/**
 * The phrases of a text, lower-cased, in order and with repetitions: runs of up to three content words as RAKE
 * cuts them (Rose et al., 2010), and each word of a longer run, so that 'charity race' also meets 'race'.
 * O(length).
 */
export function phrasesOf(text: string): string[] {
  const phrases: string[] = [];
  let run: string[] = [];
  const flush = () => {
    if (run.length > 1)
      for (let i = 0; i < run.length; i += LONGEST_PHRASE) push(run.slice(i, i + LONGEST_PHRASE));
    phrases.push(...run);
    run = [];
  };
  const push = (words: readonly string[]) => {
    if (words.length > 1) phrases.push(words.join(' '));
  };
  for (const [raw] of text.normalize('NFKC').replaceAll('’', "'").matchAll(WORDS)) {
    const word = raw.toLowerCase().replace(/'s$/, '');
    if (
      WORD.test(word) &&
      word.length >= SHORTEST_WORD &&
      !STOP_WORDS.has(word) &&
      !STOP_WORDS.has(raw.toLowerCase())
    )
      run.push(word);
    else flush();
  }
  flush();
  return phrases;
}
