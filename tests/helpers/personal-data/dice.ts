/** Chance for makers of test data; the same seed throws the same. */
export type Dice = {
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** `count` digits. */
  digits(count: number): string;
};

/** Makes dice out of random numbers in [0, 1). */
export function createDice(random: () => number): Dice {
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  return {
    whole,
    pick(choices) {
      const choice = choices[whole(0, choices.length - 1)];
      if (choice === undefined) throw new Error('there is nothing to pick');
      return choice;
    },
    digits: (count) => Array.from({ length: count }, () => whole(0, 9)).join(''),
  };
}
