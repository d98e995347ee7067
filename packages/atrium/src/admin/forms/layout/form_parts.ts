/** Columns that the fields of a section or tab are in where the page is wide enough */
export const COLUMNS = [1, 2, 3] as const

export interface TabOptions {
  /** Text below the title */
  help?: string
  /** Default: 2. Long texts and groups of inputs take the whole width */
  columns?: (typeof COLUMNS)[number]
}

export interface SectionOptions extends TabOptions {
  /**
   * The section can be folded; true folds it until it is opened. It begins open where a field in it is
   * invalid, or required and empty. Default: it can't be folded
   */
  collapsed?: boolean
}

/** Fields of a form below a title, made by `section`. */
export class FormSection {
  constructor(
    readonly title: string,
    readonly parts: Iterable<string | FormSection>,
    readonly options: SectionOptions = {}
  ) {}
}

/** Fields of a form on a tab, made by `tab`. */
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
 * A section of a form, for the option `form` of `@AdminView`. Unknown fields and options are errors of the boot. [R1]
 *
 * @param title  heading of its card
 * @param parts  API names of fields, and sections within it
 */
export function section(
  title: string,
  parts: Iterable<string | FormSection>,
  options?: SectionOptions
): FormSection {
  return new FormSection(title, parts, options)
}

/**
 * A tab of a form, for the option `form` of `@AdminView`; tabs that follow each other share a row. Without JavaScript
 * they are shown one below the other. Unknown fields and options are errors of the boot. [R1]
 *
 * @param title  label of the tab
 * @param parts  API names of fields, and sections on it
 */
export function tab(
  title: string,
  parts: Iterable<string | FormSection>,
  options?: TabOptions
): FormTab {
  return new FormTab(title, parts, options)
}
