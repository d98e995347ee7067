import Post from '#models/post'
import { postValidator } from '#validators/post'
import type { HttpContext } from '@adonisjs/core/http'

export default class PostsController {
  async index({ view }: HttpContext) {
    return view.render('pages/posts/index', { posts: await Post.query().orderBy('id') })
  }

  /** As Lucid serializes models by default */
  async json() {
    return await Post.query().preload('author').orderBy('id')
  }

  async store({ auth, request, response, session }: HttpContext) {
    const values = await request.validateUsing(postValidator)
    await Post.create({ ...values, authorId: auth.getUserOrFail().id, isPublished: true })
    session.flash('success', 'Post created')
    return response.redirect('/posts')
  }
}
