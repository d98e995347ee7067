/**
 * Label in the middle of a sentence: `Order line` -> `order line`; `SKU` stays.
 */
export function inSentence(label: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(label) ? label[0].toLowerCase() + label.slice(1) : label
}
