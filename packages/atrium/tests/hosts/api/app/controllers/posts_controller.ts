import Post from '#models/post'
import PostTransformer from '#transformers/post_transformer'
import { postValidator } from '#validators/post'
import type { HttpContext } from '@adonisjs/core/http'

export default class PostsController {
  async index({ request, serialize }: HttpContext) {
    const posts = await Post.query().orderBy('id').paginate(request.input('page', 1), 10)
    return serialize(PostTransformer.paginate(posts.all(), posts.getMeta()))
  }

  /** As Lucid serializes models by default */
  async store({ auth, request, response }: HttpContext) {
    const values = await request.validateUsing(postValidator)
    const post = await Post.create({ ...values, authorId: auth.getUserOrFail().id })
    return response.created(await Post.findOrFail(post.id))
  }
}
