import { setTimeout as wait } from 'node:timers/promises'
import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import { RuntimeError, crudConfig } from '#crud'
import { ResponseExists, StoredResponses } from '#base/http/stored_responses'
import { errorToProblem } from '#crud/internals'
import { inSharedTransaction } from '#base/database/shared_transaction'
import type { KeyValue } from '#base/columns/key'
import { guardOf } from '../../identity/admin_guard.js'
import { readKey, rowId } from '../../views/record_items.js'
import { sentFiles, sentTexts } from '../../http/form_texts.js'
import type { ModelView } from '../../views/model_view.js'

/** Name of the hidden input with the result of `sealOwner` */
export const OWNER = '_by'

const PURPOSE = 'form owner'

/**
 * Returns the encrypted id of the user who opens a form. If the form is submitted after the session has ended, its
 * input is stored for this user only. The text does not authenticate the user.
 */
export function sealOwner(userId: number): string {
  return encryption.encrypt(String(userId), { purpose: PURPOSE, expiresIn: '7d' })
}

/**
 * Decrypts a result of `sealOwner`.
 *
 * @returns id of the user; null if the text is not a result of `sealOwner` or has expired
 */
export function ownerIn(sealed: string | undefined): number | null {
  if (sealed === undefined || sealed.length > 500) return null
  return rowId(encryption.decrypt<string>(sealed, PURPOSE))
}

type Options = ReturnType<ModelView['callOptions']>

/*
 * Maximum number of times that a request checks whether another request has written the record, and milliseconds
 * between them
 */
const MOST_WAITS = 40
const WAIT = 50

/**
 * Ensures that a form is saved only once, even if it is submitted several times with the same content. A submission is
 * identified by model, user, content and the form's token: the encrypted id of the user, which is different each time a
 * form is rendered.
 */
export class SentOnce {
  private constructor(
    private readonly view: ModelView,
    private readonly responses: StoredResponses,
    private readonly id: string
  ) {}

  /**
   * @returns null for a form without a token of the signed-in user, or if the connection has no table of stored
   *   responses
   */
  static async of(ctx: HttpContext, view: ModelView): Promise<SentOnce | null> {
    const texts = sentTexts(ctx)
    const token = texts.get(OWNER)?.at(-1)
    const { owner } = guardOf(ctx).signedInOrFail()
    if (token === undefined || ownerIn(token) !== owner.id) return null
    const files = Object.entries(sentFiles(ctx)).map(([name, sent]) => [
      name,
      [sent].flat().map(({ clientName, size }) => [clientName, size]),
    ])
    const content = JSON.stringify([ctx.request.url(), [...texts], files])
    try {
      const responses = await StoredResponses.on(view.client(), crudConfig().idempotency.hours)
      const parts = [view.name, String(owner.id), token, content]
      return new SentOnce(view, responses, encryption.blindIndex(parts, 'sent form'))
    } catch (error) {
      if (error instanceof RuntimeError) return null
      throw error
    }
  }

  /** Returns the key of the record that the form has already written; null if there is none. */
  async stored(): Promise<KeyValue | null> {
    const response = await this.responses.stored<{ key: string }>(this.id)
    return response && (readKey(this.view, response.key)?.[0] ?? null)
  }

  /**
   * Runs a write unless the form has already been submitted; concurrent requests wait.
   *
   * @returns result of the write, or the key of the record that another request has written
   * @throws ResponseExists  if the other request takes too long
   */
  async run<Result>(write: () => Promise<Result>): Promise<{ result: Result } | { key: KeyValue }> {
    for (let waits = 0; ; waits++) {
      const key = await this.stored()
      if (key) return { key }
      try {
        return { result: await write() }
      } catch (error) {
        if (!(error instanceof ResponseExists) || waits === MOST_WAITS) throw error
        await wait(WAIT)
      }
    }
  }

  /**
   * Writes in a transaction that also marks the form as submitted.
   *
   * @throws ResponseExists  if another request has written the record
   */
  async write<Result>(
    options: Options,
    write: (options: Options) => Promise<Result>,
    keyOf: (result: Result) => KeyValue | null | undefined
  ): Promise<Result> {
    const { resource } = this.view
    const responseOf = (result: Result) => {
      const key = keyOf(result)
      if (!key) throw new RuntimeError(`${this.view.name}: the form has written no record`)
      return { key: resource.key.toPath(key).slice(1) }
    }
    try {
      return await inSharedTransaction(options.client, (client) =>
        this.responses.storeOnce(this.id, client, () => write({ ...options, client }), responseOf)
      )
    } catch (error) {
      if (error instanceof ResponseExists) throw error
      throw (await errorToProblem(error, resource, undefined, options.client)) ?? error
    }
  }
}
