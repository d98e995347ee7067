/* Compares the output of a command with the one that a page shows. */

const MOMENT = /\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g

/**
 * JSON is compared as a whole: `"..."` stands for any text, and a datetime for any other. In other
 * output, each line must be part of a line of the output, in the same order.
 *
 * @returns the difference; null if there is none
 */
export function differenceOf(language: string, shown: string, output: string): string | null {
  return language === 'json' ? jsonDifference(shown, output) : textDifference(shown, output)
}

function jsonDifference(shown: string, output: string): string | null {
  let actual: unknown
  try {
    actual = JSON.parse(output)
  } catch {
    return `no JSON: ${output}`
  }
  const wanted = JSON.parse(shown)
  return isLike(wanted, actual) ? null : `${JSON.stringify(actual, null, 2)}\nis not\n${shown}`
}

function isLike(wanted: any, actual: any): boolean {
  if (wanted === '...') return typeof actual === 'string' && actual !== ''
  if (typeof wanted === 'string' && typeof actual === 'string') {
    return wanted.replaceAll(MOMENT, 'MOMENT') === actual.replaceAll(MOMENT, 'MOMENT')
  }
  if (typeof wanted !== 'object' || wanted === null || typeof actual !== 'object' || !actual) {
    return wanted === actual
  }
  if (Array.isArray(wanted) !== Array.isArray(actual)) return false
  const names = Object.keys(wanted)
  return (
    names.length === Object.keys(actual).length &&
    names.every((name) => Object.hasOwn(actual, name) && isLike(wanted[name], actual[name]))
  )
}

function textDifference(shown: string, output: string): string | null {
  let rest = output.split('\n')
  for (const line of shown.trimEnd().split('\n')) {
    const place = rest.findIndex((one) => one.includes(line))
    if (place < 0) return `'${line}' is not in\n${output}`
    rest = rest.slice(place + 1)
  }
  return null
}
