/**
 * Keys after `g` for the pages that every site has. [L12]
 */
export const PAGE_KEYS: Readonly<Record<string, string>> = {
  dashboard: 'd',
  account: 'a',
  events: 'e',
  jobs: 'j',
  health: 'h',
}

const DIGITS = '123456789'

/**
 * Keys after `g` for each model of the sidebar: the first letter of its label that is free, else the
 * first free digit. [L12]
 *
 * @param labels  in the order of the sidebar
 * @returns in the same order; null where nothing is left
 */
export function goKeys(labels: readonly string[]): Array<string | null> {
  const taken = new Set(Object.values(PAGE_KEYS))
  return labels.map((label) => {
    const key = [...lettersOf(label), ...DIGITS].find((one) => !taken.has(one)) ?? null
    if (key) taken.add(key)
    return key
  })
}

/** Letters that every keyboard of the Latin script has: `Älteste` -> `alteste` */
function lettersOf(label: string): string {
  return label
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}
