import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import { sentTexts } from '../../http/form_texts.js'
import { Widget } from '../../views/widget.js'
import {
  InvalidPermissions,
  readPermissions,
  type PermissionsDocument,
  permissionsInWords,
} from '../../models/permissions_document.js'
import { matrixView, matrixMore } from './matrix_view.js'
import { offeredViews } from '../role_errors.js'
import {
  readMatrix,
  unfoldedIn,
  type MatrixSite,
  readInputName,
  readFolded,
  type FoldedPermissions,
} from './read_matrix.js'
import { PageNotFound } from '../../http/errors.js'

/** URL path, below the mount, of the folded part of a row */
export const MATRIX_MORE = '/AdminRole/permissions'

/**
 * Returns the widget for the permissions of a role: a matrix of models and actions. A form can also submit the JSON
 * document.
 */
export function permissionsWidget(site: MatrixSite & Pick<Site, 'url'>) {
  return class PermissionsWidget extends Widget {
    readonly template = 'admin/partials/fields/permissions'
    readonly sheet = 'roles.css'
    readonly isGroup = true

    collect(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined {
      const document = readMatrix(name, sent)
      return document && [JSON.stringify(document)]
    }

    read([text]: string[]): unknown {
      try {
        return JSON.parse(text)
      } catch {
        throw new Error(site.text('roles.matrix.noJson'))
      }
    }

    show(document: unknown): string[] {
      return [JSON.stringify(document)]
    }

    words(document: unknown): string {
      return permissionsInWords(documentIn(JSON.stringify(document))).join('\n')
    }

    rerenders(name: string, sent: ReadonlyMap<string, readonly string[]>): boolean {
      return [...unfoldedIn(name, sent).values()].includes(true)
    }

    /** Loads the tables, as they determine which models are read-only. */
    async data(ctx: HttpContext, name: string, [text]: string[]) {
      await Promise.allSettled(offeredViews(site).map(({ resource }) => resource.load()))
      const view = matrixView(site, name, documentIn(text), unfoldedIn(name, sentTexts(ctx)))
      return { ...view, more: site.url(MATRIX_MORE) }
    }
  }
}

/** Parses the document. Invalid permissions are shown as an empty matrix, next to the error. */
function documentIn(text: string | undefined): PermissionsDocument {
  try {
    return readPermissions(JSON.parse(text ?? '{}'))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidPermissions) return {}
    throw error
  }
}

/* Name of the form field that contains the matrix */
const FIELD = 'permissions'

/** Returns the folded part of a matrix row when the row is unfolded. */
export class MatrixController {
  constructor(private readonly site: Site) {}

  /**
   * Renders the fields and records of one model. The query has the format of the row's hidden input:
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
