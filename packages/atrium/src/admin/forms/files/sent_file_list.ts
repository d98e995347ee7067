import type { MultipartFile } from '@adonisjs/core/bodyparser'
import { inputName, type FormField } from '../fields/form_field.js'

/** A submitted list of files. */
export interface SentFileList {
  /** Keys of stored files, in order */
  keys: string[]
  /** False if the files are added to those of the record */
  isWhole: boolean
  /** Uploaded files, which are not stored yet */
  added: readonly MultipartFile[]
}

/**
 * Suffixes of the inputs of a list: a mark that the form contains the whole list, and for each file its key, its
 * position and a checkbox that removes it
 */
export const LIST = '__list'
export const FILE = '__file'
export const PLACE = '__place'
export const REMOVE = '__remove'

interface ReadLists {
  fileLists: Map<string, SentFileList>
  shown: Record<string, string[]>
}

/**
 * Adds the list of a field to `fileLists` and `shown`: the files of the form in the order of their positions, then the
 * uploaded files. A request without the whole list only adds files.
 */
export function readFileList(
  { hidden, name }: Pick<FormField, 'hidden' | 'name'>,
  added: readonly MultipartFile[],
  sent: ReadonlyMap<string, readonly string[]>,
  { fileLists, shown }: ReadLists
): void {
  const input = inputName(name)
  const isListed = sent.has(input + LIST)
  if (!isListed && added.length === 0) return
  const keys = isListed ? keysInOrder(input, sent) : []
  shown[name] = keys
  /* The form contains no files of a hidden field, so new ones replace them, like a single file. */
  fileLists.set(name, { keys, isWhole: isListed || hidden, added })
}

function keysInOrder(input: string, sent: ReadonlyMap<string, readonly string[]>): string[] {
  const places = sent.get(input + PLACE) ?? []
  const removed = new Set(sent.get(input + REMOVE))
  return [...new Set(sent.get(input + FILE))]
    .map((key, index) => ({ key, place: placeIn(places[index], index) }))
    .filter(({ key }) => !removed.has(key))
    .toSorted((one, other) => one.place - other.place)
    .map(({ key }) => key)
}

/**
 * Returns the sort position of a file. A file that was moved to the number of another file is placed before or after
 * that file, depending on the direction of the move.
 */
function placeIn(text: string | undefined, index: number): number {
  const place = Number.parseFloat(text ?? '')
  return Number.isNaN(place) ? index + 1 : place + Math.sign(place - index - 1) / 2
}
