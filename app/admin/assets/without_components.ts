/**
 * Leaves components out of a stylesheet: every selector with the class of one, and every rule that has no
 * other selector.
 *
 * @param css         minified: without comments
 * @param components  class names; one that ends in `*` covers all that begin so
 */
export function withoutComponents(css: string, components: readonly string[]): string {
  const names = components.map(
    (name) => name.replace(/[^\w-]/g, '') + (name.endsWith('*') ? '[\\w-]*' : '')
  )
  const isOf = new RegExp(`\\.(?:${names.join('|')})(?![\\w\\\\-])`)
  return kept(css, isOf)
}

const GROUP = /^@(?:layer|media|supports|container)\b/

function kept(css: string, isOf: RegExp): string {
  let text = ''
  for (const { head, body } of rulesOf(css)) {
    if (body === undefined) text += head
    else if (GROUP.test(head)) {
      const inner = kept(body, isOf)
      if (inner !== '') text += `${head}{${inner}}`
    } else if (head.startsWith('@')) text += `${head}{${body}}`
    else {
      const selectors = partsOf(head, ',').filter((one) => !isOf.test(withoutArguments(one)))
      if (selectors.length > 0) text += `${selectors.join(',')}{${body}}`
    }
  }
  return text
}

/** Rules with a body, and statements such as `@import` without. */
function rulesOf(css: string): Array<{ head: string; body?: string }> {
  return partsOf(css, ';', '}').map((part) => {
    let head = ''
    for (const { sign } of signsOf(part)) {
      if (sign === '{') return { head, body: part.slice(head.length + 1, -1) }
      head += sign
    }
    return { head: `${head};` }
  })
}

/** What `:not()`, `:has()` and their like name is not what a rule is for. */
function withoutArguments(selector: string): string {
  let text = ''
  for (const { sign, depth } of signsOf(selector)) if (depth === 0) text += sign
  return text
}

/** Parts of a text that a sign separates, or ends, outside of brackets and strings. */
function partsOf(css: string, separator: string, end?: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const { sign, depth } of signsOf(css)) {
    const isOutside = depth === 0
    if (!(isOutside && sign === separator)) part += sign
    if (isOutside && (sign === separator || sign === end)) {
      parts.push(part)
      part = ''
    }
  }
  return [...parts, part].filter((one) => one !== '')
}

/** Signs, or strings and escapes as a whole, each with the number of brackets around it. */
function* signsOf(css: string): Generator<{ sign: string; depth: number }> {
  let depth = 0
  for (const [sign] of css.matchAll(
    /\\[^]|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|[(){}[\]]|[^\\"'(){}[\],;]+|[^]/g
  )) {
    if (')]}'.includes(sign)) depth -= 1
    yield { sign, depth }
    if ('([{'.includes(sign)) depth += 1
  }
}
