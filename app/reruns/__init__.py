"""Work around Streamlit's reruns: with every press, Streamlit runs the whole page again.

``dialogs``
    Streamlit drops a dialog in the run after the run that opened it, so the session keeps the open dialog:
    ``test_lead_screens.py::test_a_dialog_stands_when_another_run_takes_the_place_of_the_one_that_opened_it``.
``button_presses``
    A callback gets the input of the run before, so a press right after typing would lose the last words:
    ``test_items_page.py::test_what_is_ticked_is_done_once_and_never_to_items_that_changed_or_went``.
``session_values``
    A second press ends the first one before its result is stored:
    ``test_projects_page.py::test_everyone_sees_their_own_and_leads_make_one_with_one_press``.
``messages``
    A run that is replaced early takes its message along, so the next runs repeat the message:
    ``test_shell.py::test_what_came_of_a_press_is_told_also_by_the_run_that_takes_the_place_of_the_first``.
``subset_picker``
    The browser sends the old state of every control with each press, and would tick a cleared checkbox again:
    ``test_lead_browser.py::test_dimensions_are_given_and_two_presses_deactivate_one_person_and_escape_no_one``.
``pending_figures``
    A run cannot wait minutes for a figure, so the page looks again until a job has computed the figure:
    ``test_figures.py::test_results_fill_by_themselves_with_the_numbers_of_the_command``.
``theme_cache``
    Streamlit composes its theme anew for every run:
    ``test_theme_cache.py::test_it_is_what_streamlit_composes_and_composed_once``.
``collector``
    Streamlit collects garbage after every run, in time that grows with all loaded objects:
    ``test_frame.py::test_the_server_starts_in_any_folder_and_its_first_page_freezes_the_collector``.
``script_loops``
    Streamlit holds an event loop with three open files for the runs of each page:
    ``test_open_files.py::test_a_loop_of_a_page_holds_files_only_while_it_runs``.
``lost_fragments``
    Streamlit ignores a page's request for a part of it in a process that has not drawn the page:
    ``test_several_web_processes.py::test_the_first_request_of_a_session_draws_the_whole_page``.

The tests are in ``tests/app``.
"""
