import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import { PageNotFound } from '../../http/errors.js'
import { InvalidPermissions } from '../../models/permissions_document.js'
import { readInputName, readFolded, type FoldedPermissions } from './read_matrix.js'
import { matrixMore } from './matrix_view.js'

/* The form's field that the matrix is for */
const FIELD = 'permissions'

/**
 * The folded part of a row of the matrix, loaded when it is unfolded. [U6]
 */
export class MatrixController {
  constructor(private readonly site: Site) {}

  /**
   * Renders the fields and records of the one model that the query names, as its hidden input does:
   * `?permissions.kept.Film={"hidden":["us_gross"]}`.
   *
   * @throws PageNotFound  for any other query
   */
  async show(ctx: HttpContext): Promise<unknown> {
    const inputs = [...new URLSearchParams(ctx.request.parsedUrl.query ?? '')]
    const [name, text] = inputs.length === 1 ? inputs[0] : ['', '']
    const { part, model } = readInputName(FIELD, name) ?? {}
    const stored = part === 'kept' ? storedIn(text) : null
    if (model === undefined || !stored) throw new PageNotFound()
    const more = matrixMore(this.site, FIELD, model, stored)
    return await this.site.render(ctx, 'partials/fields/permissions_more', { more })
  }
}

function storedIn(text: string): FoldedPermissions | null {
  try {
    return readFolded(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidPermissions) return null
    throw error
  }
}
