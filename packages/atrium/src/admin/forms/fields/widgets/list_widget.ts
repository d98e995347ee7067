import { numberOrDigits, parseJson, writeJson } from '#base/values/json'
import { plainItems } from '../../../text/plain_items.js'
import { TagsWidget } from './tags_widget.js'

/**
 * The items of an array of the database: one a line; with JavaScript as chips. A list that lines can't hold is JSON, such
 * as one with null, with a list in it, or with the same item twice.
 */
export class ListWidget extends TagsWidget {
  constructor() {
    super({ suggestions: [], isText: false })
  }

  read(values: string[]): unknown {
    const text = values.join('\n')
    const list = listIn(text)
    if (list !== null) return list
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  }

  show(value: unknown): string[] {
    const text = listText(value)
    return text === '' ? [] : [text]
  }

  words(value: unknown): string {
    return plainItems(value)?.join(', ') ?? writeJson(value)
  }
}

function listText(value: unknown): string {
  const texts = plainItems(value)
  if (!texts) return writeJson(value)
  const isPlain = texts.every((one) => one !== '' && one.trim() === one && !/[\n\r]/.test(one))
  const text = texts.join('\n')
  const hasEachOnce = new Set(texts).size === texts.length
  return isPlain && hasEachOnce && listIn(text) === null ? text : writeJson(value)
}

function listIn(text: string): unknown[] | null {
  if (!text.trimStart().startsWith('[')) return null
  try {
    const value = parseJson(text, numberOrDigits, undefined, ({ digits }) => digits)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
