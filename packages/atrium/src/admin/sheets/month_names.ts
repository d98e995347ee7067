/** Languages whose names of months are read, besides which no name means two months */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'pl']

const EXTRA = [
  ['sept', 9],
  ['mrz', 3],
] as const

/**
 * The number of a month by its name or its abbreviation, as in `Jan`, `march` or `août`; undefined for other words.
 */
export function monthNumber(name: string): number | undefined {
  months ??= allMonths()
  return months.get(plain(name))
}

let months: ReadonlyMap<string, number> | undefined

function allMonths(): ReadonlyMap<string, number> {
  const found = new Map<string, Set<number>>()
  const add = (name: string, month: number) => {
    const word = plain(name)
    if (word.length >= 3) found.set(word, (found.get(word) ?? new Set()).add(month))
  }
  for (const language of LANGUAGES) {
    for (const month of ['long', 'short'] as const) {
      /* With a day some languages inflect the name. */
      for (const day of ['numeric', undefined] as const) {
        const format = new Intl.DateTimeFormat(language, { month, day, timeZone: 'UTC' })
        for (let number = 1; number <= 12; number++) add(nameIn(format, number), number)
      }
    }
  }
  for (const [name, month] of EXTRA) add(name, month)
  const clear = [...found].filter(([, numbers]) => numbers.size === 1)
  return new Map(clear.map(([name, numbers]) => [name, [...numbers][0]]))
}

function nameIn(format: Intl.DateTimeFormat, month: number): string {
  const parts = format.formatToParts(Date.UTC(2024, month - 1, 1))
  return parts.find(({ type }) => type === 'month')?.value ?? ''
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, '')
}
