// What is asked about the demo's conversation, and the turns that answer it.

export interface DemoQuestion {
  kind: 'implicit' | 'explicit';
  text: string;
  /** Ids in conversation.jsonl. */
  gold: readonly string[];
}

export const DEMO_QUESTIONS: readonly DemoQuestion[] = [
  { kind: 'implicit', text: 'Ines has a free evening and a sofa. What should she put on?', gold: ['1:7'] },
  {
    kind: 'implicit',
    text: 'We are booking a seafood place for her birthday dinner, is that a good idea?',
    gold: ['1:19'],
  },
  { kind: 'implicit', text: "Could she look after Petra's cat for a week?", gold: ['4:26'] },
  {
    kind: 'implicit',
    text: 'The conference is 1,500 kilometres away. How should I book her journey?',
    gold: ['4:8'],
  },
  {
    kind: 'implicit',
    text: 'When would be a sensible hour to ask Tomas for a careful review of my draft?',
    gold: ['2:11'],
  },
  { kind: 'implicit', text: 'Jorge is coming over for a barbecue. Anything I should know?', gold: ['3:17'] },
  { kind: 'explicit', text: 'How did Leo break his arm?', gold: ['3:10'] },
  { kind: 'explicit', text: 'What did Tomas do with his car?', gold: ['1:24'] },
  {
    kind: 'explicit',
    text: 'What does Tomas wear against the noise in the open-plan office?',
    gold: ['3:20'],
  },
  { kind: 'explicit', text: 'How many maps were moved in the archive?', gold: ['3:1'] },
];
