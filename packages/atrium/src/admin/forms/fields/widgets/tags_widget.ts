import type { HttpContext } from '@adonisjs/core/http'
import { parseJson, numberOrDigits, writeJson } from '#base/values/json'
import { listCell, type ShownCell } from '../../../list/cell.js'
import { FormWidget, type Text } from './form_widget.js'

/**
 * Returns the tags of a stored value: a list, or a text that contains a list as JSON.
 *
 * @returns null if the value is not a list of texts
 */
export function tagsOf(value: unknown): string[] | null {
  const list = typeof value === 'string' ? parseList(value) : value
  const isTags = Array.isArray(list) && list.every((one) => typeof one === 'string')
  return isTags ? list : null
}

/** Returns the text for a form: one tag per line, or JSON for a list that lines can't represent. */
export function tagsText(value: unknown): string {
  const tags = tagsOf(value)
  if (tags === null) return typeof value === 'string' ? value : writeJson(value)
  const text = tags.join('\n')
  const isPlain = tags.every((tag) => tag !== '' && tag.trim() === tag && !/[\n\r]/.test(tag))
  return isPlain && parseList(text) === null ? text : writeJson(tags)
}

/** Parses the text of a form to tags, without blank lines and duplicates. A list in JSON is returned as it is. */
export function readTags(text: string): unknown[] {
  const list = parseList(text)
  if (list !== null) return list
  const tags = text.split('\n').map((line) => line.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))]
}

function parseList(text: string): unknown[] | null {
  if (!text.trimStart().startsWith('[')) return null
  try {
    const value = parseJson(text, numberOrDigits)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Suffix of the hidden input that marks a field which had tags when the form was rendered */
const HAD_TAGS = '__tags'

interface TagsOptions {
  suggestions: readonly string[]
  /** True if the column is a text that contains JSON */
  isText: boolean
}

/** A list of short texts; with JavaScript as chips. */
export class TagsWidget extends FormWidget {
  readonly template = 'admin/partials/fields/tags'
  readonly sheet = 'tags_field.css'
  readonly isList = true
  readonly helpKey = 'form.lines'
  readonly #suggestions: readonly string[]
  readonly #isText: boolean

  constructor({ suggestions, isText }: TagsOptions) {
    super()
    this.#suggestions = suggestions
    this.#isText = isText
  }

  /** Returns no attributes, as the schema's length limits apply to the JSON and not to the entered text. */
  attributesFrom() {
    return {}
  }

  /** Returns an empty list if all tags were removed; undefined for a field that was empty before. */
  collect(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined {
    const texts = sent.get(name)
    const isEmptied = texts?.every((text) => text.trim() === '') && sent.has(name + HAD_TAGS)
    return isEmptied ? ['[]'] : undefined
  }

  async data(_ctx: HttpContext, name: string, values: string[]) {
    const text = values.join('\n')
    return {
      suggestions: this.#suggestions,
      mark: text.trim() === '' ? undefined : name + HAD_TAGS,
      text: text === '[]' ? '' : text,
    }
  }

  read(values: string[]): unknown {
    const tags = readTags(values.join('\n'))
    return this.#isText ? JSON.stringify(tags) : tags
  }

  show(value: unknown): string[] {
    const text = tagsText(value)
    return text === '' ? [] : [text]
  }

  words(value: unknown): string {
    return tagsOf(value)?.join(', ') ?? tagsText(value)
  }

  cell(value: unknown, text: Text): ShownCell | null {
    return badges(value, text)
  }

  whole(value: unknown, text: Text): ShownCell | null {
    return badges(value, text, Infinity)
  }
}

function badges(value: unknown, text: Text, most?: number): ShownCell | null {
  const tags = tagsOf(value)
  return tags && listCell(tags, text, most)
}
