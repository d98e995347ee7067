import logger from '@adonisjs/core/services/logger'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#crud/resource/key'
import type { ModelView } from '../../model_view.js'
import { noteOwner } from './file_owners.js'
import { dropFile, storeFile } from './file_store.js'
import type { FormField } from '../fields/form_field.js'
import type { Submission } from '../submission/submission.js'

/**
 * The files of one submission: stored before the record is written, and removed again if it was not.
 */
export class Uploads {
  readonly #view: ModelView
  readonly #fields: readonly FormField[]
  readonly #submission: Submission
  readonly #stored = new Map<FormField, string>()

  constructor(view: ModelView, fields: readonly FormField[], submission: Submission) {
    this.#view = view
    this.#fields = fields
    this.#submission = submission
  }

  /**
   * What the schema gets for the files: themselves, or their keys where it wants a text, for which they
   * have to be stored already.
   */
  async forSchema(): Promise<Record<string, unknown>> {
    const values: Record<string, unknown> = {}
    for (const field of this.#sent()) {
      const file = this.#submission.files.get(field.name)!
      values[field.name] = field.takesFile ? file : await this.#store(field)
    }
    return values
  }

  /**
   * Stores what the schema has let through, and puts the keys into its place.
   *
   * @param values  by attribute name
   */
  async storeIn(values: Record<string, unknown>): Promise<void> {
    for (const field of this.#sent().filter(({ takesFile }) => takesFile)) {
      values[field.column?.attribute ?? field.name] = await this.#store(field)
    }
  }

  /**
   * The names of the files, for the write that is allowed to hold them.
   */
  get names(): ReadonlySet<string> {
    return new Set(this.#stored.values())
  }

  /**
   * The record was written: the files are its own from now on. A file whose owner could not be noted is
   * given out for the first record that holds it, as those are that were stored before.
   */
  async belongTo(key: KeyValue): Promise<void> {
    for (const [{ column }, file] of this.#stored) {
      try {
        await noteOwner(this.#view, file, { key, field: column?.wire ?? null })
      } catch (error) {
        logger.error({ err: error }, `The owner of a file of ${this.#view.name} was not noted`)
      }
    }
  }

  /**
   * The record was not written: nothing refers to the files.
   */
  async drop(): Promise<void> {
    for (const key of this.#stored.values()) await dropFile(this.#view, key)
  }

  /**
   * The record was written: nothing refers any longer to the files that it had in their place.
   *
   * @param record  as it was before
   */
  async dropReplaced(record: LucidRow): Promise<void> {
    const attributes = record.$original
    for (const field of this.#fields) {
      if (field.holds !== 'file' || !field.column) continue
      const isCleared = this.#submission.cleared.has(field.name)
      if (this.#stored.has(field) || isCleared) {
        await dropFile(this.#view, attributes[field.column.attribute])
      }
    }
  }

  #sent(): FormField[] {
    return this.#fields.filter(({ name }) => this.#submission.files.has(name))
  }

  async #store(field: FormField): Promise<string> {
    const key = await storeFile(this.#view, this.#submission.files.get(field.name)!)
    this.#stored.set(field, key)
    return key
  }
}
