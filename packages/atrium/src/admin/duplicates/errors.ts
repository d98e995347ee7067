import { Exception } from '@adonisjs/core/exceptions'

/** A merge that is not possible, with the catalogue key of its message. */
export class MergeRefused extends Exception {
  constructor(
    status: number,
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key, { status })
  }
}
