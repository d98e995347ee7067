import { basename } from 'node:path'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import type { UploadedBefore } from '#base/values/file_keys'
import { guardOf } from '../../identity/admin_guard.js'
import type { ModelView } from '../../views/model_view.js'
import { isFileKey, LONGEST_NAME } from './file_owners.js'
import { dropFileOfRemoved, dropFiles, storeFile } from './file_store.js'
import { filesDisk, pathsOnDisk } from './files_disk.js'

/* Folder of uploads, next to the folders with the files of models; no model can have this name */
const FOLDER = '.uploads'

/** Maximum number of files of one user that wait for their form */
const MOST_WAITING = 200

/** Hours after which a file is removed if its form was not saved */
const KEPT_HOURS = 24

const HOUR = 3_600_000

/** Metadata of an uploaded file whose form is not saved yet */
interface Note extends UploadedBefore {
  /** Name of the model in the site */
  model: string
}

/**
 * Files of lists that are stored but do not belong to a record yet, because their form has not been saved. Each has a
 * note on the disk, in a folder of the user who uploaded it. A file cannot be read until a record refers to it.
 */
export class WaitingFiles {
  readonly #folder: string

  constructor(
    ctx: HttpContext,
    private readonly view: ModelView
  ) {
    const { owner } = guardOf(ctx).signedInOrFail()
    this.#folder = `${FOLDER}/${owner.id}`
  }

  /** Returns true if the user has the maximum number of waiting files. */
  async isFull(): Promise<boolean> {
    const notes = await pathsOnDisk(this.#folder)
    return notes.length >= MOST_WAITING
  }

  /** Stores an uploaded file. Returns its key. */
  async add(file: MultipartFile): Promise<string> {
    const key = await storeFile(this.view, file)
    const { clientName, size } = file
    const note: Note = { model: this.view.name, name: clientName.slice(0, LONGEST_NAME), size }
    const disk = await filesDisk()
    await disk.put(this.#pathOf(key), JSON.stringify(note))
    return key
  }

  /** Returns a file that the user has uploaded for the model; undefined if there is none. */
  async find(key: string): Promise<UploadedBefore | undefined> {
    if (!isFileKey(key)) return undefined
    const disk = await filesDisk()
    const path = this.#pathOf(key)
    const note = (await disk.exists(path)) ? await noteAt(path) : undefined
    return note?.model === this.view.name ? note : undefined
  }

  /** Removes the notes of files that belong to a record now. */
  async leave(keys: Iterable<string>): Promise<void> {
    const disk = await filesDisk()
    for (const key of keys) await disk.delete(this.#pathOf(key))
  }

  #pathOf(key: string): string {
    return `${this.#folder}/${key}`
  }
}

/**
 * Removes the files whose form was not saved within a day.
 *
 * @param viewOf  returns the view of a model by name
 * @param now     default: the current time
 * @returns the number of removed files
 */
export async function pruneWaitingFiles(
  viewOf: (name: string) => ModelView | undefined,
  now: Date = new Date()
): Promise<number> {
  const disk = await filesDisk()
  const oldest = now.getTime() - KEPT_HOURS * HOUR
  let removed = 0
  for (const path of await pathsOnDisk(FOLDER)) {
    const { lastModified } = await disk.getMetaData(path)
    if (lastModified.getTime() > oldest) continue
    const { model } = await noteAt(path)
    const view = viewOf(model)
    if (view) await dropFiles(view, [basename(path)])
    else await dropFileOfRemoved(model, basename(path))
    await disk.delete(path)
    removed++
  }
  return removed
}

async function noteAt(path: string): Promise<Note> {
  const disk = await filesDisk()
  return JSON.parse(await disk.get(path))
}
