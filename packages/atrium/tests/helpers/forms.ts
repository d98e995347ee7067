/* Parses the form of a page, as a browser would submit it. */

export interface ReadForm {
  action: string
  /** Submitted value of each field; several values are separated by line breaks */
  values: Record<string, string>
  /** Sealed id of the person who was given the form */
  owner: string
  /** Opening tag of each field */
  tags: Record<string, string>
  /** Message above the fields */
  error: string
  /** Message next to each field */
  errors: Record<string, string>
  /** Targets of the summary's links */
  summary: string[]
  /** Number of htmx attributes on the page */
  hxAttributes: number
  /** Attributes with event handlers */
  handlers: string[]
}

/** Parses the record's form. */
export function formOf(html: string): ReadForm {
  const [, attributes, inner] = /<form id="record-form"([^>]*)>(.*?)<\/form>/s.exec(html)!
  const values: Record<string, string> = {}
  const tags: Record<string, string> = {}
  let owner = ''
  const put = (name: string, tag: string, value: string | undefined) => {
    if (name === '_by') owner = value ?? ''
    else if (!name.endsWith('__clear')) {
      tags[name] = tag
      /* A checkbox's value comes after its hidden field. */
      if (value !== undefined) values[name] = value
    }
  }
  const controls =
    /<(input|select|textarea)\b((?:[^>"]|"[^"]*")*)>(?:(?<=<select(?:[^>"]|"[^"]*")*>)(.*?)<\/select>|(?<=<textarea(?:[^>"]|"[^"]*")*>)\r?\n?(.*?)<\/textarea>)?/gs
  for (const [all, kind, rest, options, text] of inner.matchAll(controls)) {
    const tag = all.slice(0, all.indexOf(rest) + rest.length + 1)
    const name = attribute(rest, 'name')
    /* A control without a name sends nothing. */
    if (name === undefined) continue
    if (kind === 'textarea') put(name, tag, decoded(text))
    else if (kind === 'select') put(name, tag, selected(options))
    else if (attribute(rest, 'type') === 'checkbox') {
      put(name, tag, /\schecked\b/.test(rest) ? attribute(rest, 'value') : undefined)
    } else put(name, tag, attribute(rest, 'value') ?? '')
  }
  const errors = html.matchAll(/<p class="field-error" id="field-([^"]*)-error">(.*?)<\/p>/gs)
  return {
    action: attribute(attributes, 'action')!,
    values,
    tags,
    owner,
    error: decoded(/id="form-error"[^>]*>\s*<p>(.*?)<\/p>/s.exec(html)?.[1] ?? ''),
    errors: Object.fromEntries([...errors].map(([, name, text]) => [name, decoded(text)])),
    summary: [...html.matchAll(/<li><a href="(#field-[^"]*)">/g)].map(([, link]) => link),
    hxAttributes: attributesLike(html, /\shx-/g).length,
    handlers: attributesLike(html, /\son\w+/g),
  }
}

function attributesLike(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(/<(?:[^>"]|"[^"]*")*>/g)].flatMap(
    ([tag]) => tag.replace(/"[^"]*"/g, '').match(pattern) ?? []
  )
}

function selected(options: string): string {
  const all = [...options.matchAll(/<option value="([^"]*)"([^>]*)>/g)]
  const chosen = all.filter(([, , rest]) => rest.includes('selected'))
  return (chosen.length > 0 ? chosen : all.slice(0, 1))
    .map(([, value]) => decoded(value))
    .join('\n')
}

function attribute(text: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1]
  return value === undefined ? undefined : decoded(value)
}

const SIGNS: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' }

function decoded(text: string): string {
  return text.replace(/&(?:#(x?[0-9a-f]+)|(\w+));/gi, (_, code, name) =>
    code ? String.fromCodePoint(Number(code.replace(/^x/i, '0x'))) : SIGNS[name]
  )
}
