import { ValueError } from '#crud'
import { checkEach, isList, isObject, LABEL, TEXT, TRUTH, type Check } from '#base/checks'
import { listed, shown } from '#base/errors'

/** Allowed numbers of columns in which a section or tab arranges its fields on wide pages */
const COLUMNS = [1, 2, 3] as const

export interface TabOptions {
  /** Text below the title */
  help?: string
  /** Default: 2. Long texts and groups of inputs always have the full width */
  columns?: (typeof COLUMNS)[number]
}

export interface SectionOptions extends TabOptions {
  /**
   * True if the section is initially folded, false if it is initially open but can be folded. It is always open if a
   * field in it is invalid, or is required and empty. Default: it can't be folded
   */
  collapsed?: boolean
}

/** Fields of a form below a heading. Created by `section`. */
export class FormSection {
  constructor(
    readonly title: string,
    readonly parts: Iterable<string | FormSection>,
    readonly options: SectionOptions = {}
  ) {}
}

/** Fields of a form on a tab. Created by `tab`. */
export class FormTab {
  constructor(
    readonly title: string,
    readonly parts: Iterable<string | FormSection>,
    readonly options: TabOptions = {}
  ) {}
}

/** One entry of the option `form`: the API name of a field, a section or a tab */
export type FormPart = string | FormSection | FormTab

/**
 * Creates a section of a form, for the option `form` of `@AdminView`. Unknown fields and options are reported at
 * boot.
 *
 * @param title  heading of the section
 * @param parts  API names of fields, and nested sections
 */
export function section(
  title: string,
  parts: Iterable<string | FormSection>,
  options?: SectionOptions
): FormSection {
  return new FormSection(title, parts, options)
}

/**
 * Creates a tab of a form, for the option `form` of `@AdminView`. Consecutive tabs share a row. Without JavaScript
 * they are shown one below the other. Unknown fields and options are reported at boot.
 *
 * @param title  label of the tab
 * @param parts  API names of fields, and sections on the tab
 */
export function tab(
  title: string,
  parts: Iterable<string | FormSection>,
  options?: TabOptions
): FormTab {
  return new FormTab(title, parts, options)
}

const COUNT: Check = [(value) => COLUMNS.includes(value), COLUMNS.join(' or ')]
const TAB = { help: TEXT, columns: COUNT }
const SECTION = { ...TAB, collapsed: TRUTH }

/**
 * Checks that the option `form` consists of field names, sections and tabs with valid options. Tabs are only allowed
 * at the top level.
 *
 * @param name  name of the model
 * @throws ValueError
 */
export function checkFormParts(name: string, parts: Iterable<FormPart>, place = 'form'): void {
  for (const part of parts) {
    if (typeof part === 'string') continue
    const isTop = place === 'form'
    if (!(part instanceof FormSection || (isTop && part instanceof FormTab))) {
      throw new ValueError(
        `${name}: ${place} holds ${part instanceof FormTab ? `the tab ${shown(part.title)}` : shown(part)}, and must hold names of fields, ${isTop ? 'sections and tabs' : 'and sections'}`
      )
    }
    const own = `${place}.${typeof part.title === 'string' ? part.title : '?'}`
    checkEach(name, { title: part.title }, { title: LABEL }, { group: own })
    if (!isList(part.parts)) {
      throw new ValueError(
        `${name}: ${own} has the fields ${shown(part.parts)}, and must have a list of names of fields and of sections`
      )
    }
    if (!isObject(part.options)) {
      throw new ValueError(
        `${name}: ${own} has the options ${shown(part.options)}, and must have an object as { columns: 2 }`
      )
    }
    const checks = part instanceof FormSection ? SECTION : TAB
    checkEach(name, part.options, checks, { group: own, mayBeUndefined: true })
    checkFormParts(name, part.parts, own)
  }
}

/**
 * Checks that each name in the option `form` is a field and occurs once.
 *
 * @param known  API names of the model's fields
 * @throws ValueError
 */
export function checkFormNames(
  name: string,
  parts: Iterable<FormPart>,
  known: readonly string[]
): void {
  const names = namesIn(parts)
  const unknown = names.filter((one) => !known.includes(one))
  if (unknown.length > 0) {
    throw new ValueError(
      `${name}: form names ${listed(unknown)}, which is not a field; fields are ${listed(known)}`
    )
  }
  const twice = names.find((one, index) => names.indexOf(one) !== index)
  if (twice !== undefined) {
    throw new ValueError(`${name}: form names '${twice}' twice, and must name each field once`)
  }
}

function namesIn(parts: Iterable<FormPart>): string[] {
  return [...parts].flatMap((part) => (typeof part === 'string' ? part : namesIn(part.parts)))
}
